import BinderyKit
import Foundation
import TestSupport
import Testing

@Suite("The README's view model in ten minutes")
struct ReadmeTests {
    static let files = [
        "Package.swift", "Sources/Tickets/TicketMachine.swift", "Sources/Tickets/Tickets.swift",
        "Tests/TicketsTests/TicketMachineTests.swift",
    ]

    @Test("is a whole package")
    func code() throws {
        let files = try Self.files.map {
            try String(contentsOf: Page.root.appending(path: "Tests/Readme/\($0)"), encoding: .utf8)
        }
        let blocks = try Page(path: "README.md").blocks().filter {
            $0.language == "swift" && $0.section == "Your own view model in ten minutes"
        }
        #expect(blocks.map { $0.lines.joined(separator: "\n") + "\n" } == files)
    }

    @Test(
        "ends with 0, with 1 where it could not be done, with 64 where it was told wrongly, and says why in its own name"
    )
    func exits() async throws {
        let printed = try await bash(
            """
            say() { "$@" 2>&1 && status=0 || status=$?; echo "$status"; }
            say '\(try Child.path(ofPackage: "Tickets"))' --version
            say '\(try Child.path(ofPackage: "Tickets"))' health --port 1
            say '\(try Child.path(ofPackage: "Tickets"))' sessions
            """)
        #expect(
            printed == [
                "Tickets (Bindery \(Version.current))", "0",
                "Tickets: 127.0.0.1:1 refuses the connection: nothing listens there", "1",
                "Tickets: sessions needs to know what to do: list or end; see Tickets --help", "64",
            ])
    }
}
