// swift-tools-version: 6.2
import PackageDescription

// Dependencies point one way (ARCHITECTURE.md): bindery → Service → Sessions → ViewModels → Binding,
// Service → HTTP → CHTTPShim → CMicrohttpd, and each store → Sessions.
let package = Package(
    name: "Bindery",
    products: [
        .library(name: "Bindery", targets: ["Binding", "ViewModels", "Sessions", "SQLiteStore", "HTTP", "Service"]),
        .executable(name: "bindery", targets: ["bindery"]),
    ],
    targets: [
        .systemLibrary(
            name: "CMicrohttpd",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CGnuTLS",
            pkgConfig: "gnutls",
            providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CGetopt"),
        .target(name: "CHTTPShim", dependencies: ["CMicrohttpd"]),
        .target(name: "HTTP", dependencies: ["CHTTPShim", "Locking"]),
        .target(name: "Locking"),
        .target(name: "Binding", dependencies: ["Locking"]),
        .target(name: "ViewModels", dependencies: ["Binding"]),
        .target(name: "Sessions", dependencies: ["ViewModels", "Binding", "Locking", "CGnuTLS"]),
        .target(name: "SQLiteStore", dependencies: ["Sessions", "ViewModels", "Locking", "CSQLite"]),
        .target(name: "Service", dependencies: ["Sessions", "HTTP", "Locking"]),
        .executableTarget(name: "bindery", dependencies: ["Service", "CGetopt"]),
        .target(name: "TestSupport", dependencies: ["Sessions"], path: "Tests/TestSupport"),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP"]),
        .testTarget(name: "BindingTests", dependencies: ["Binding", "Locking"]),
        .testTarget(name: "ViewModelsTests", dependencies: ["ViewModels", "TestSupport"]),
        .testTarget(name: "SessionsTests", dependencies: ["Sessions", "TestSupport"]),
        .testTarget(name: "ServiceTests", dependencies: ["Service"]),
        .testTarget(name: "StoreContractTests", dependencies: ["Sessions", "Locking", "SQLiteStore", "TestSupport"]),
        .executableTarget(
            name: "store-child", dependencies: ["SQLiteStore", "Sessions"], path: "Tests/StoreChild"),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: ["SQLiteStore", "Sessions", "Locking", "TestSupport", "store-child"],
            resources: [.copy("Fixtures")]),
        .testTarget(name: "BinderyTests", dependencies: ["bindery"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    target.cSettings =
        (target.cSettings ?? []) + [
            .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
        ]
}
