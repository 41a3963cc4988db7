// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Kiosk",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Bindery", path: "../..")],
    targets: [
        .target(name: "KioskScreen", dependencies: [.product(name: "BinderyClient", package: "Bindery")]),
        .executableTarget(name: "Kiosk", dependencies: ["KioskScreen"]),
        .testTarget(
            name: "KioskTests", dependencies: ["KioskScreen", .product(name: "BinderyTesting", package: "Bindery")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
}
