import BinderyKit
import Foundation

extension Command {
    static let call = Command(
        "call", "run an action once, also over lost connections, and print the state",
        words: "[URL] VIEWMODEL/ACTION",
        options: [
            ProgramOption("body", "JSON", "the body of the action; - for standard input"),
            ProgramOption("key", "KEY", "the Idempotency-Key; by default a new one"),
        ]
    ) { options in
        let place = try ServerPlace(options.operands.count > 1 ? options.operands[0] : nil)
        let action = options.operands.last ?? ""
        guard let match = action.wholeMatch(of: /\/?([A-Za-z][A-Za-z0-9-]*(?:\/[\w-]+)?)\/([A-Za-z][A-Za-z0-9-]*)/)
        else {
            throw UsageError(
                "\(action) is not an action such as counter/increment or orders/7f3c/pay; give a body with --body")
        }
        let (viewModel, name) = (String(match.1), String(match.2))
        let body =
            options["body"] == "-"
            ? try FileHandle.standardInput.readToEnd() ?? Data() : options["body"].map { Data($0.utf8) }
        let answer = try await place.asking { session in
            try await session.act(name, of: viewModel, json: body.map { Array($0) }, key: options["key"])
        }
        try Console.print(String(decoding: answer.body, as: UTF8.self))
    }
}
