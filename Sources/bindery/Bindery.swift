import BinderyKit
import Samples

/// Hosts the view models of the articles.
@main
struct Bindery: BinderyProgram {
    static let name = "bindery"
    static let version = Version.current
    static let viewModels = Catalogue.samples.viewModels
    static let languages = Catalogue.samples.languages
}
