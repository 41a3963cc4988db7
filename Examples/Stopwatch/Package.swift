// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Stopwatch",
    dependencies: [.package(name: "Bindery", path: "../..")],
    targets: [
        .executableTarget(name: "Stopwatch", dependencies: [.product(name: "Bindery", package: "Bindery")]),
        .testTarget(
            name: "StopwatchTests",
            dependencies: ["Stopwatch", .product(name: "BinderyTesting", package: "Bindery")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
}
