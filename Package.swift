// swift-tools-version: 6.2
import PackageDescription

// Dependencies point one way (ARCHITECTURE.md): bindery → BinderyKit → Service → Entities → ViewModels → Binding,
// Service → HTTP → CHTTPShim → CMicrohttpd, and each store → Entities.
let package = Package(
    name: "Bindery",
    // For the client and the view models: what they lock by, Mutex, is there from these on. The server runs on Linux.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // `import BinderyKit` is the whole face of it.
        .library(name: "Bindery", targets: ["BinderyKit"]),
        // View models and their declarations, for an app that shows what its server hosts: no C library comes with them.
        .library(name: "BinderyViewModels", targets: ["ViewModels", "Binding"]),
        // On Foundation and pure Swift alone: no C library comes with it.
        .library(name: "BinderyClient", targets: ["BinderyClient"]),
        .library(name: "BinderyTesting", targets: ["BinderyTesting"]),
        // Users by JSON Web Tokens; it alone needs libjwt.
        .library(name: "BinderyJWT", targets: ["BinderyJWT"]),
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
        .systemLibrary(
            name: "CPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CJWT",
            pkgConfig: "libjwt-gnutls",
            providers: [.apt(["libjwt-gnutls-dev"]), .brew(["libjwt"])]),
        .target(name: "CHTTPShim", dependencies: ["CMicrohttpd"]),
        .target(name: "CBuild"),
        .target(name: "HTTP", dependencies: ["CHTTPShim", "Events", "Locking"]),
        .target(name: "Locking"),
        .target(name: "Events", dependencies: ["Locking"]),
        .target(name: "Binding", dependencies: ["Locking"]),
        .target(name: "ViewModels", dependencies: ["Binding", "Locking"]),
        .target(name: "Entities", dependencies: ["ViewModels", "Locking", "CGnuTLS"]),
        .target(name: "StoreParts", dependencies: ["Entities", "Locking"]),
        .target(name: "SQLiteStore", dependencies: ["StoreParts", "Entities", "Locking", "CSQLite"]),
        .target(
            name: "PostgresStore", dependencies: ["StoreParts", "Entities", "Locking", "CPostgres"]),
        // What browsers are sent: scripts as they stand there.
        .target(
            name: "WebFiles",
            resources: [
                .embedInCode("bindery.js"), .embedInCode("bindery-attributes.js"), .embedInCode("bindery.d.ts"),
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/icon.svg"),
                .embedInCode("Page/page.js"), .embedInCode("Page/cards.js"), .embedInCode("Page/dom.js"),
                .embedInCode("Page/wire.js"),
            ]),
        .target(
            name: "TestSupport", dependencies: ["Entities", "HTTP", "Events", "Locking", "CPostgres"],
            path: "Tests/TestSupport"),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "Events", "Locking", "TestSupport"]),
        .testTarget(name: "BindingTests", dependencies: ["Binding", "Locking", "TestSupport"]),
        .testTarget(name: "ViewModelsTests", dependencies: ["Samples", "ViewModels", "Binding", "TestSupport"]),
        .testTarget(name: "EntitiesTests", dependencies: ["Entities", "Locking", "TestSupport"]),
        .executableTarget(
            name: "store-child", dependencies: ["SQLiteStore", "Entities", "Locking"],
            path: "Tests/StoreChild"),
        .testTarget(
            name: "StoreContractTests",
            dependencies: [
                "SQLiteStore", "PostgresStore", "StoreParts", "Entities", "Locking", "CSQLite", "CPostgres",
                "store-child", "TestSupport",
            ]),
        .target(name: "Samples", dependencies: ["ViewModels", "Binding"]),
        .target(
            name: "Service",
            dependencies: [
                "Entities", "ViewModels", "Binding", "HTTP", "WebFiles", "Events", "Locking", "CBuild",
            ],
            resources: [.embedInCode("OpenAPI/fixed.yaml")]),
        .target(
            name: "BinderyKit",
            dependencies: [
                "Service", "SQLiteStore", "PostgresStore", "StoreParts", "Entities",
                "ViewModels", "Binding", "HTTP", "WebFiles", "Events", "Locking",
            ]),
        .target(name: "BinderyJWT", dependencies: ["CJWT", "ViewModels"]),
        .testTarget(name: "JWTTests", dependencies: ["BinderyJWT", "CJWT", "ViewModels"]),
        .target(name: "ViewModelContract", dependencies: ["ViewModels", "Locking"]),
        .target(name: "BinderyClient", dependencies: ["ViewModels", "Binding", "Locking"]),
        .target(
            name: "BinderyTesting",
            dependencies: [
                "BinderyKit", "ViewModelContract", "BinderyClient", "Service", "Entities",
                "ViewModels", "Binding", "HTTP", "Locking",
            ]),
        .executableTarget(
            name: "bindery",
            dependencies: ["BinderyKit", "BinderyClient", "Samples", "ViewModels", "Locking"],
            path: "Sources/bindery", resources: [.embedInCode("Template")]),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Service", "Samples", "Entities", "ViewModels", "HTTP", "Events", "Locking", "WebFiles",
                "SQLiteStore", "TestSupport",
            ]),
        .testTarget(
            name: "ViewModelContractTests",
            dependencies: ["ViewModelContract", "Samples", "ViewModels"]),
        .testTarget(
            name: "BinderyKitTests",
            dependencies: [
                "BinderyKit", "BinderyTesting", "bindery", "Samples", "Service", "Entities",
                "SQLiteStore", "StoreParts", "ViewModels", "Events", "BinderyClient", "HTTP",
                "TestSupport",
            ]),
        .testTarget(
            name: "BinderyTestingTests",
            dependencies: ["BinderyTesting", "BinderyKit", "Samples", "Entities", "ViewModels"]),
        .testTarget(
            name: "BinderyClientTests",
            dependencies: [
                "BinderyClient", "BinderyTesting", "BinderyKit", "ViewModels", "Binding", "Locking", "TestSupport",
            ]),
        // The README's example, its files where its package has them.
        .executableTarget(
            name: "Tickets", dependencies: ["BinderyKit"], path: "Tests/Readme/Sources/Tickets"),
        .testTarget(
            name: "TicketsTests", dependencies: ["Tickets", "BinderyTesting"],
            path: "Tests/Readme/Tests/TicketsTests"),
        .executableTarget(
            name: "OrderDesk", dependencies: ["BinderyKit"], path: "Examples/OrderDesk", exclude: ["README.md", "Page"]),
        .executableTarget(
            name: "desks", dependencies: ["BinderyKit", "Samples"], path: "Tests/Failover/Desks"),
        // Compiles and runs the samples of the README and of the book.
        .testTarget(
            name: "BookTests",
            dependencies: [
                "Tickets", "bindery", "BinderyKit", "BinderyTesting", "Samples", "TestSupport",
            ]),
        .executableTarget(
            name: "simulate", dependencies: ["Entities", "Locking"], path: "Tests/Simulation",
            exclude: ["Faults"]),
        .executableTarget(name: "door-echo", dependencies: ["HTTP", "CMicrohttpd"], path: "Tests/Fuzz/Echo"),
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
