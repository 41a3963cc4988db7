extension Command {
    /// Prints code for an app that asks for the program's view models.
    static let swiftClient = Command(
        name: "client swift", uses: [("", "print a Swift file for apps that use BinderyClient")], isPlain: true
    ) { options in
        try Console.print(SwiftClient(catalogue: try options.catalogue, program: options.served).text, end: "")
    }

    /// Prints typings for a page that asks for the program's view models.
    static let typeScriptClient = Command(
        name: "client typescript", uses: [("", "print typings for pages that use /bindery.js")], isPlain: true
    ) { options in
        try Console.print(TypeScriptClient(catalogue: try options.catalogue, program: options.served).text, end: "")
    }
}
