import BinderyKit

let server = BinderyServer(viewModels: [.hosting(TicketMachine.init(model:))])
try await server.run { print("The tickets are at \($0.url)/tickets") }
