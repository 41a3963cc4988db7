import Foundation

/// What `bindery --help` prints.
enum HelpText {
    static func text(of program: any BinderyProgram.Type) -> String {
        let name = program.name
        let options = ServeOption.all.map { option in
            let flag = "--\(option.name)" + (option.isSwitch ? "[=\(option.value)]" : " \(option.value)")
            return "  " + flag.padding(toLength: 34, withPad: " ", startingAt: 0) + option.help
        }
        return """
            \(program.title): view models on the server, over HTTP.

            Usage:
              \(name) serve [options]   serve until SIGTERM or SIGINT
              \(name) openapi           print the OpenAPI description
              \(name) health [options]  ask a running server whether it lives, with --ready whether clients
                                        may be sent there; exit 0, or 1 and why not
              \(name) sessions list [--admin ADDRESS:PORT] [--json]
                                        list the sessions of a running server, with --json an object a line
              \(name) sessions end ID|--unused-for SECONDS [--admin ADDRESS:PORT]
                                        end one, or all that nobody has used for so long
              \(name) check [options]   tell which stored models this build cannot read; exit 0, or 1
              \(name) backup PATH       copy the store to a new file, while it is served or not
              \(name) backup DIRECTORY --keep N
                                        the same, to a file named by the time, of which the latest N are kept
              \(name) restore BACKUP    put a backup where the store is; what is there is kept aside
              \(name) copy --from STORE --to STORE
                                        take all sessions into another, empty store, while neither is served
              \(name) --help            print this
              \(name) --version         print the version

            Options, each also as BINDERY_… in the environment (BINDERY_PORT, BINDERY_PUBLIC_SESSION, …):
            \(options.joined(separator: "\n"))

            A list, as NAME,…, may also be given piece by piece. Without --allowed-hosts, a server that
            listens on loopback is asked as localhost or by an IP address, any other under any name.

            Exit status: 0 done, 1 it could not be done, 64 the command line is wrong.
            """
    }
}
