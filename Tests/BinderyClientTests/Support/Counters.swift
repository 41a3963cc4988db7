import BinderyClient
import Binding
import Foundation
import ViewModels

struct Counter: ViewModel {
    var count = 0
    var text: String { "\(count)" }
    var note: String? { count > 9 ? "many" : nil }

    static let interface = Interface<Counter>("counter") {
        Output("text", \.text)
        Output("note", \.note)
        Output("unit", "The unit in a language.") { (_: Counter, context) in context.language == "en" ? "pieces" : "個" }
        Action("increment") { $0.count += 1 }
        Action("add-many", example: 1) { $0.count += $1 }
    }
}

final class ObjectCounter: ObjectViewModel {
    struct Model: StoredModel { var count = 0 }

    let model: Model
    let text: Variable<String>

    init(model: Model, context: Context) { (self.model, text) = (model, Variable("\(model.count)")) }

    static let interface = Interface<ObjectCounter>("object-counter") { Output("text", \.text) }
}

/// The state of a counter, as the server sends it.
func state(_ text: String) -> String { #"{"text":"\#(text)","note":null,"unit":"個"}"# }

/// An event with one output of the counter.
func event(_ kind: String, _ seq: Int, _ text: String, output: String = "text") -> String {
    let change = #"{"seq":\#(seq),"viewModel":"counter","output":"\#(output)","value":"\#(text)"}"#
    return
        "event: \(kind)\nid: \(seq).n\ndata: {\"kind\":\"\(kind)\",\"cursor\":\"\(seq).n\",\"changes\":[\(change)]}\n\n"
}

func ping(_ seq: Int) -> String { "event: ping\nid: \(seq).n\ndata: {}\n\n" }

/// A stand-in server and a client whose time a test moves.
struct Bench {
    let server: StandInServer
    let clock = SleepClock()
    let client: BinderyClient
    var session: RemoteSession { client.session(token: "secret") }

    init() throws {
        server = try StandInServer()
        client = BinderyClient(server.url, clock, connectTime: .seconds(100))
    }

    /// A counter that shows a text, with its stream open.
    func counter(_ text: String = "1", seq: Int = 1) async throws -> (RemoteViewModel<Counter>, StandInServer.Call) {
        async let counter = session.viewModel(Counter.self)
        try await server.next().answer(state: state(text), seq: seq)
        let bound = try await counter
        let stream = try await server.next()
        stream.stream(ping(seq))
        return (bound, stream)
    }
}

extension BinderyClient {
    /// - Parameter connectTime: longer than each pause, for tests that wait for a pause.
    convenience init(
        _ url: URL, _ clock: any Clock<Duration>, connectTime: Duration, streamTime: Duration = .seconds(35)
    ) {
        var options = Options()
        (options.clock, options.connectTime, options.streamTime) = (clock, connectTime, streamTime)
        self.init(url, options: options)
    }
}

extension Task where Failure == any Error {
    /// The value; a test over its time limit cancels the task.
    var outcome: Success {
        get async throws {
            try await withTaskCancellationHandler {
                try await value
            } onCancel: {
                cancel()
            }
        }
    }
}

extension RemoteUpdate {
    /// The text that the counter shows after it.
    var text: String? {
        guard case .string(let text)? = changes.last(where: { $0.output == "text" })?.value else { return nil }
        return text
    }
}
