// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Tickets",
    dependencies: [.package(name: "Bindery", path: "../bindery")],
    targets: [
        .executableTarget(name: "Tickets", dependencies: [.product(name: "Bindery", package: "Bindery")]),
        .testTarget(
            name: "TicketsTests", dependencies: ["Tickets", .product(name: "BinderyTesting", package: "Bindery")]),
    ]
)
