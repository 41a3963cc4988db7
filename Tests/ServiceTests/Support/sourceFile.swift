import Foundation

/// A file of this package, by its path from the package's root.
func sourceFile(_ path: String, from file: String = #filePath) -> URL {
    // This file lies three folders deep.
    var root = URL(filePath: file)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appending(path: path)
}
