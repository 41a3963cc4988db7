import CMicrohttpd
import Foundation
import HTTP
import Synchronization

/// A live server that answers each request with what it read of it, for the fuzzing of the front door.
///
/// Says its port and the version of libmicrohttpd on one line, and serves until its standard input ends. Then it says how
/// many requests its handlers saw.
@main
enum DoorEcho {
    static func main() async {
        let server = Server(routes: routes)
        do {
            let port = try server.start()
            FileHandle.standardOutput.write(Data("\(port) \(String(cString: MHD_get_version()))\n".utf8))
        } catch {
            FileHandle.standardError.write(Data("door-echo: \(error)\n".utf8))
            exit(1)
        }
        while readLine() != nil {}
        await server.stop(within: .seconds(1))
        FileHandle.standardOutput.write(Data("\(handled.load(ordering: .relaxed))\n".utf8))
    }

    private static let handled = Atomic(0)

    /// Every method at `/` and at every path of one to four segments.
    private static var routes: [Route] {
        let templates = ["/", "/{a}", "/{a}/{b}", "/{a}/{b}/{c}", "/{a}/{b}/{c}/{d}"]
        return Method.allCases.filter { $0 != .head }.flatMap { method in
            templates.map { template in
                Route(method, template) { request, responder in
                    handled.add(1, ordering: .relaxed)
                    responder.send(Record(request).response)
                }
            }
        }
    }
}
