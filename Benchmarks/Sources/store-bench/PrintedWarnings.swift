import BinderyKit

/// Prints what a store warns of, so that a measurement under a failing store is not taken for one of a sound store.
final class PrintedWarnings: EventLog {
    func record(_ event: Event) {
        guard event.kind.level >= .warning else { return }
        print(event.kind.name, event.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " "))
    }
}
