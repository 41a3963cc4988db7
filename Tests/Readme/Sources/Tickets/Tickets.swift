import BinderyKit

@main
struct Tickets: BinderyProgram {
    static let viewModels: [Declaration] = [.hosting(TicketMachine.self)]
}
