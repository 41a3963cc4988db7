import BinderyKit

// A server of one large output, for Benchmarks/polls: what a change costs that is told to many at once.
guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[1]),
    let threads = Int(CommandLine.arguments[2])
else { fatalError("usage: big-host PORT THREADS") }

var options = BinderyServer.Options()
options.port = port
options.server.threads = threads
try await BinderyServer(viewModels: [.hosting(BigText.init(model:))], options: options).run()
