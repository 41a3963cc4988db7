import Events
import Service
import StoreParts

extension Event {
    /// The events of a store, for the log.
    init(_ event: StoreEvent, of store: String) {
        switch event {
        case .lost(let reason): self.init(.storeLost, ["store": .text(store), "reason": .text(reason)])
        case .back(let time):
            self.init(.storeBack, ["store": .text(store), "milliseconds": .number(Int(time / .milliseconds(1)))])
        case .unreadable(let id): self.init(.entityUnreadable, ["session": .text("\(SessionTag(of: id.text))")])
        }
    }
}
