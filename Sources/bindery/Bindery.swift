import BinderyKit
import Samples

/// Hosts the view models of the articles, calls servers, and writes packages that host others.
@main
struct Bindery: ProgramWithCommands {
    static let name = "bindery"
    static let version = Version.current
    static let viewModels = Declaration.samples
    static let languages = Languages(.japanese, .english)
    static let commands: [Command] = [.watch, .call, .new]
}
