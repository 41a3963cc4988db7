import BinderyClient
import BinderyKit
import Foundation

extension ProgramOption {
    /// Where a token is.
    static let tokenFile = ProgramOption(
        "token-file", "PATH", \.own.tokenFile, "where the session's token is, in a file of mode 0600", code: "–"
    ) {
        $0 ?? ServerPlace.variable
    } read: { path in
        guard !path.isEmpty else { throw UsageError("takes the path of a file") }
        return path
    }
}

extension Command {
    /// Begins a session.
    static let beginSession = Command(
        name: "session begin",
        uses: [
            (
                "[URL] [--token-file PATH]",
                "begin a session of one's own, and print its token, or write it to a new file"
            )
        ],
        options: [.tokenFile], isPlain: true, isOperand: ServerPlace.isOperand
    ) { options in
        // A token that is there already is not asked for: the file is to be new.
        let place = try ServerPlace(options.operands.first, tokenFile: nil, environment: [:])
        let session = try await place.asking { try await place.client.session() }
        guard let token = session.token else { return }
        do {
            if let file = options.own.tokenFile {
                try ServerPlace.write(token, to: file)
                try Console.print("session \(session.id ?? "") is begun; its token is in \(file)")
            } else {
                // Instead of the end that the system has for it.
                signal(SIGPIPE, SIG_IGN)
                guard try Console.print(token) else { throw CommandFailure("nobody reads the token") }
            }
        } catch {
            // Else it would be there until nobody had used it for a day.
            try? await session.end()
            throw error
        }
    }

    /// Shows what a session is and shows.
    static let showSession = Command(
        name: "session show",
        uses: [("[URL] [--token-file PATH]", "print a session and all that it shows, as JSON")],
        options: [.tokenFile], isPlain: true, isOperand: ServerPlace.isOperand
    ) { options in
        let place = try ServerPlace(options.operands.first, tokenFile: options.own.tokenFile)
        let shown = try await place.asking { try await place.session.shown() }
        try Console.print(String(decoding: shown.answer.body, as: UTF8.self))
    }

    /// Ends a session.
    static let endSession = Command(
        name: "session end", uses: [("[URL] [--token-file PATH]", "end one's own session")], options: [.tokenFile],
        isPlain: true, isOperand: ServerPlace.isOperand
    ) { options in
        let place = try ServerPlace(options.operands.first, tokenFile: options.own.tokenFile)
        let session = try place.ownSession
        try await place.asking { try await session.end() }
        try Console.print("the session has ended")
    }
}
