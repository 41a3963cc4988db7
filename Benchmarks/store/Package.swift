// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "store-bench",
    dependencies: [.package(name: "Bindery", path: "../..")],
    targets: [
        .executableTarget(name: "store-bench", dependencies: [.product(name: "Bindery", package: "Bindery")])
    ],
    swiftLanguageModes: [.v6]
)
