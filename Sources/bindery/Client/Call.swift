import BinderyClient
import BinderyKit
import Foundation
import ViewModels

extension Command {
    /// Asks for an action.
    static let call = Command(
        name: "call",
        uses: [
            (
                "[URL] VIEWMODEL/ACTION [--body JSON] [--key KEY] [--token-file PATH]",
                "ask for an action, once however often the line is lost, and print the state"
            )
        ],
        options: [
            ProgramOption("body", "JSON", \.own.body, "what the action takes; - for standard input", code: "–") {
                $0 ?? ""
            } read: {
                $0
            },
            ProgramOption(
                "key", "KEY", \.own.key, "the Idempotency-Key, by which the same is never done twice", code: "–"
            ) {
                $0 ?? "one of its own"
            } read: { text in
                guard (1...255).contains(text.utf8.count),
                    text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") })
                else { throw UsageError("takes 1 to 255 visible ASCII characters without a double quote") }
                return text
            }, .tokenFile,
        ],
        isPlain: true, mostOperands: 3, isOperand: ServerPlace.isOperand
    ) { options in
        let actions = options.operands.filter { names(in: $0) != nil }
        let others = options.operands.filter { names(in: $0) == nil }
        if let misplaced = others.first(where: { !ServerPlace.isURL($0) }), actions.count == 1 {
            throw UsageError(ServerPlace.noURL(misplaced) + "; a body stands behind --body")
        }
        guard others.count < 2, actions.count == 1, let (viewModel, action) = names(in: actions[0]) else {
            throw UsageError(
                "call needs to know what to ask for, like counter/increment; see \(options.program.name) --help")
        }
        let place = try ServerPlace(others.first, tokenFile: options.own.tokenFile)
        let body =
            options.own.body == "-"
            ? try FileHandle.standardInput.readToEnd() ?? Data() : options.own.body.map { Data($0.utf8) }
        let answer = try await place.asking {
            try await place.session.act(
                action.rawValue, of: viewModel.rawValue, json: body.map { Array($0) }, key: options.own.key)
        }
        try Console.print(String(decoding: answer.body, as: UTF8.self))
    }

    /// The names in `counter/increment`, or `/counter/increment`; nil where a word is none of the kind.
    private static func names(in word: String) -> (viewModel: Name, action: Name)? {
        let path = word.hasPrefix("/") ? word.dropFirst() : word[...]
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map { Name($0) }
        guard names.count == 2, let viewModel = names[0], let action = names[1] else { return nil }
        return (viewModel, action)
    }
}
