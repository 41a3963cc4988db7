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
                else { throw UsageError("takes 1 to 255 visible characters") }
                return text
            }, .tokenFile,
        ],
        isPlain: true, mostOperands: 2, isOperand: { !$0.hasPrefix("-") }
    ) { options in
        let urls = options.operands.filter(ServerPlace.isURL)
        let actions = options.operands.filter { !ServerPlace.isURL($0) }
        let names = actions.first?.split(separator: "/", omittingEmptySubsequences: false).map { Name($0) } ?? []
        guard urls.count < 2, actions.count == 1, names.count == 2, let viewModel = names[0], let action = names[1]
        else {
            throw UsageError(
                "call needs to know what to ask for, like counter/increment; see \(options.program.name) --help")
        }
        let place = try ServerPlace(urls.first, tokenFile: options.own.tokenFile)
        let body =
            options.own.body == "-"
            ? try FileHandle.standardInput.readToEnd() ?? Data() : options.own.body.map { Data($0.utf8) }
        let answer = try await place.session.act(
            action.rawValue, of: viewModel.rawValue, json: body.map { Array($0) }, key: options.own.key)
        Console.print(String(decoding: answer.body, as: UTF8.self))
    }
}
