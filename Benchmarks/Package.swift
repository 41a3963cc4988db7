// swift-tools-version: 6.2
import PackageDescription

// What is measured inside a process, and a host to measure. What is measured over HTTP are the scripts beside this file.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "Bindery", path: "..")],
    targets: [
        .executableTarget(name: "big-host", dependencies: [.product(name: "Bindery", package: "Bindery")]),
        .executableTarget(name: "binding-bench", dependencies: [.product(name: "Bindery", package: "Bindery")]),
        .executableTarget(name: "store-bench", dependencies: [.product(name: "Bindery", package: "Bindery")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
