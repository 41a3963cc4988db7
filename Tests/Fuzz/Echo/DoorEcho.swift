import Foundation
import HTTP

/// A live server that answers each request with what it read of it, for the fuzzing of the front door.
///
/// Says `PORT FIELD…` on one line, the fields in the order of its records, and serves until its standard input ends.
/// Options: `--head BYTES`, `--body BYTES`, `--threads N`; without them the server's own defaults hold.
@main
enum DoorEcho {
    static func main() async {
        guard let limits = ServerLimits(options: Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data("usage: door-echo [--head BYTES] [--body BYTES] [--threads N]\n".utf8))
            exit(64)
        }
        let server = Server(routes: routes, limits: limits)
        do {
            let port = try server.start()
            let fields = RequestHeader.allCases.map { "\($0)".lowercased() }.joined(separator: " ")
            FileHandle.standardOutput.write(Data("\(port) \(fields)\n".utf8))
        } catch {
            FileHandle.standardError.write(Data("door-echo: \(error)\n".utf8))
            exit(1)
        }
        while readLine() != nil {}
        await server.stop(within: .seconds(1))
    }

    /// Every method at `/` and at every path of one to four segments.
    private static var routes: [Route] {
        let templates = ["/", "/{a}", "/{a}/{b}", "/{a}/{b}/{c}", "/{a}/{b}/{c}/{d}"]
        return Method.allCases.filter { $0 != .head }.flatMap { method in
            templates.map { template in
                Route(method, template) { Record($0).response }
            }
        }
    }
}

extension ServerLimits {
    /// Nil where the options are malformed.
    fileprivate init?(options: [String]) {
        self.init()
        guard options.count.isMultiple(of: 2) else { return nil }
        for place in stride(from: 0, to: options.count, by: 2) {
            guard let number = Int(options[place + 1]), number > 0 else { return nil }
            switch options[place] {
            case "--head": headerBytes = number
            case "--body": bodyBytes = number
            case "--threads": threads = number
            default: return nil
            }
        }
    }
}
