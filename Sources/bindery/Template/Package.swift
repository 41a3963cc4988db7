// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Board",
    dependencies: [
        .package(name: "Bindery", path: "bindery")
    ],
    targets: [
        .executableTarget(
            name: "Board",
            dependencies: [.product(name: "Bindery", package: "Bindery")]),
        .testTarget(
            name: "BoardTests",
            dependencies: ["Board", .product(name: "BinderyTesting", package: "Bindery")]),
    ]
)
