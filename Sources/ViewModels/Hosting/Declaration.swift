import Foundation

/// A view model that a server hosts.
public struct Declaration: Sendable {
    /// The view model's name.
    public let name: String
    /// Checks the view model; the complaints are clauses that follow its name.
    @usableFromInline let host: @Sendable (inout [String]) -> Host?

    @inlinable
    init<Root: Hostable, Model: StoredModel>(_ interface: Interface<Root>, _ runner: Runner<Root, Model>) {
        name = interface.name
        host = { complaints in
            Host(
                interface, Model.self, apply: { try runner.apply($0, to: $1, in: $2) },
                applyAsync: { try await runner.applyAsync($0, $1, to: $2, in: $3) }, &complaints)
        }
    }

    /// Hosts a view model.
    @inlinable
    public static func hosting<Root: ViewModel>(_ type: Root.Type) -> Declaration where Root.Services == Void {
        hosting(type, with: ())
    }

    /// Hosts a view model, and lends it services, which its actions reach as `context.services`.
    @inlinable
    public static func hosting<Root: ViewModel>(_ type: Root.Type, with services: Root.Services) -> Declaration {
        Declaration(Root.interface, Runner(Root.interface, services, make: { model, _ in model }, model: { $0 }))
    }

    /// Hosts a view model that is a class.
    @inlinable
    public static func hosting<Root: ObjectViewModel>(_ type: Root.Type) -> Declaration where Root.Services == Void {
        hosting(type, with: ())
    }

    /// Hosts a view model that is a class, and lends it services, which it reaches as `context.services`.
    @inlinable
    public static func hosting<Root: ObjectViewModel>(_ type: Root.Type, with services: Root.Services) -> Declaration {
        let runner = Runner(
            Root.interface, services, make: { Root(model: $0, context: $1) }, model: { $0.model })
        return Declaration(Root.interface, runner)
    }
}

/// One type of view model as the catalogue runs it; closures hide the type.
@usableFromInline
struct Host: Sendable {
    @usableFromInline typealias Apply = @Sendable (Step, Part, ActionTurn) throws -> Part
    @usableFromInline typealias ApplyAsync = @Sendable (Int, JSONValue?, Part, ActionTurn) async throws -> Part

    let description: ViewModelDescription
    /// The notifications to which the view model reacts, in declared order.
    let reactions: [Notification.Name]
    /// The part that each session begins with, without outputs.
    let initial: Part
    /// Reads what a version has stored; the part has no outputs.
    let read: @Sendable ([UInt8], Int) throws -> Part
    let apply: Apply
    let applyAsync: ApplyAsync

    /// Nil where the view model cannot be hosted.
    @usableFromInline
    init?<Root: Hostable, Model: StoredModel>(
        _ interface: Interface<Root>, _ model: Model.Type, apply: @escaping Apply, applyAsync: @escaping ApplyAsync,
        _ complaints: inout [String]
    ) {
        guard let description = interface.description(version: model.version, &complaints) else { return nil }
        do {
            let form = try StoredForm<Model>()
            (self.description, reactions) = (description, interface.reactions.map(\.name))
            (initial, read, self.apply, self.applyAsync) = (form.initial, form.read, apply, applyAsync)
            for (output, text) in zip(description.outputs, try derive(initial, in: "en").outputs) {
                output.schema.complaint(about: "the output \(output.name)", text).map { complaints.append($0) }
            }
        } catch {
            complaints.append("its initial state cannot be used: \(DeclarationFault.words(error))")
            return nil
        }
    }

    /// The part with its outputs in a language; the time is that of no action.
    func derive(_ part: Part, in language: Language) throws -> Part {
        try apply(.derive, part, ActionTurn(language: language, time: .distantPast, sessionID: ""))
    }
}
