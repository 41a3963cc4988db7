import BinderyClient
import Foundation
import KioskScreen

/// Shows the counter that all share, and presses its buttons: `+`, `-` and the enter key.
@main
struct Kiosk {
    static func main() async throws {
        let place = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
        guard let url = URL(string: place) else { return print("usage: Kiosk [URL]") }
        let screen = try await Screen(of: BinderyClient(url).publicSession) { print($0) }
        while let line = readLine() {
            for key in line where try await !screen.press(key) { print("(+ counts up, - down, Ctrl-D ends)") }
        }
    }
}
