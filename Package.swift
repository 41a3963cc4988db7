// swift-tools-version: 6.2
import PackageDescription

// Dependencies point one way (ARCHITECTURE.md): bindery → Service → Sessions → ViewModels → Binding,
// Service → HTTP → CHTTPShim → CMicrohttpd.
let package = Package(
    name: "Bindery",
    products: [],
    targets: [
        .systemLibrary(
            name: "CMicrohttpd",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .target(name: "CHTTPShim", dependencies: ["CMicrohttpd"]),
        .target(name: "HTTP", dependencies: ["CHTTPShim"]),
        .target(name: "Binding"),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP"]),
        .testTarget(name: "BindingTests", dependencies: ["Binding"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    target.cSettings = (target.cSettings ?? []) + [
        .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
    ]
}
