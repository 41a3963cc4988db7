import Foundation
import Service
import ViewModels

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

extension ProgramOptions {
    /// What the program hosts.
    ///
    /// - Throws: `DeclarationFault` where it cannot be served.
    var catalogue: Catalogue {
        get throws {
            let catalogue = Catalogue(program.viewModels, languages: program.languages)
            if let fault = catalogue.fault { throw fault }
            return catalogue
        }
    }

    /// As the description and `GET /` call it.
    var served: ServedProgram { ServedProgram(name: program.name, version: program.version) }
}
