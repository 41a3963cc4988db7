// swift-tools-version: 6.2
import PackageDescription

// Sources/Binding is a link to the library, so that it is built as it is in the product: as another module.
let package = Package(
    name: "binding-bench",
    targets: [
        .target(name: "Binding"),
        .executableTarget(name: "binding-bench", dependencies: ["Binding"]),
    ],
    swiftLanguageModes: [.v6]
)
