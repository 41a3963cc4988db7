// swift-tools-version: 6.2
import PackageDescription

// Dependencies point one way (ARCHITECTURE.md): bindery → BinderyKit → Service → Sessions → ViewModels → Binding,
// Service → HTTP → CHTTPShim → CMicrohttpd, and each store → Sessions.
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
        .systemLibrary(name: "CMalloc"),
        .target(name: "CHTTPShim", dependencies: ["CMicrohttpd"]),
        .target(name: "CCrash"),
        .target(name: "CBuild"),
        .target(name: "HTTP", dependencies: ["CHTTPShim", "CCrash", "Events", "Locking"]),
        .target(name: "Locking"),
        .target(name: "Events", dependencies: ["Locking"]),
        .target(name: "Binding", dependencies: ["Locking"]),
        .target(name: "ViewModels", dependencies: ["Binding", "Locking"]),
        .target(name: "ViewModelsNext", dependencies: ["Binding", "Locking"]),
        .target(name: "Samples", dependencies: ["ViewModels", "Binding"]),
        .target(
            name: "Sessions",
            dependencies: ["ViewModels", "Binding", "Events", "Locking", "CCrash", "CGnuTLS", "CMalloc"]),
        .target(name: "EntitiesNext", dependencies: ["Locking"]),
        .target(name: "StorePartsNext", dependencies: ["EntitiesNext", "Locking"]),
        .target(name: "SQLiteStoreNext", dependencies: ["StorePartsNext", "EntitiesNext", "Locking", "CSQLite"]),
        .target(
            name: "PostgresStoreNext", dependencies: ["StorePartsNext", "EntitiesNext", "Locking", "CPostgres"]),
        .target(name: "StoreParts", dependencies: ["Sessions", "Events", "Locking"]),
        .target(
            name: "SQLiteStore", dependencies: ["StoreParts", "Sessions", "ViewModels", "Events", "Locking", "CSQLite"]),
        .target(
            name: "PostgresStore",
            dependencies: ["StoreParts", "Sessions", "ViewModels", "Events", "Locking", "CPostgres"]),
        // What browsers are sent: scripts as they stand there.
        .target(
            name: "WebFiles",
            resources: [
                .embedInCode("bindery.js"), .embedInCode("bindery-tabs.js"), .embedInCode("bindery-attributes.js"),
                .embedInCode("bindery-form.js"), .embedInCode("bindery-draft.js"), .embedInCode("bindery-fields.js"),
                .embedInCode("bindery-press.js"), .embedInCode("bindery.d.ts"), .embedInCode("Page/page.html"),
                .embedInCode("Page/page.css"), .embedInCode("Page/icon.svg"), .embedInCode("Page/page.js"),
                .embedInCode("Page/dom.js"), .embedInCode("Page/panel.js"), .embedInCode("Page/screens.js"),
                .embedInCode("Page/wire.js"),
            ]),
        .target(
            name: "Service",
            dependencies: ["Sessions", "ViewModels", "HTTP", "WebFiles", "Events", "Locking", "CCrash", "CBuild"]),
        .target(
            name: "BinderyKit",
            dependencies: [
                "Service", "SQLiteStore", "PostgresStore", "StoreParts", "Sessions", "ViewModels", "Binding", "HTTP",
                "WebFiles", "Events", "Locking",
            ]),
        .target(name: "ViewModelContract", dependencies: ["ViewModels", "Binding", "Locking"]),
        .target(name: "BinderyClient", dependencies: ["ViewModels", "Binding", "Locking"]),
        .target(name: "StandIns", dependencies: ["Sessions", "Locking"]),
        .target(
            name: "BinderyTesting",
            dependencies: [
                "BinderyKit", "ViewModelContract", "BinderyClient", "StandIns", "Service", "Sessions", "ViewModels",
                "Binding", "Locking",
            ]),
        .executableTarget(
            name: "bindery",
            dependencies: ["BinderyKit", "BinderyClient", "Samples", "ViewModelContract", "ViewModels", "Locking"],
            resources: [.embedInCode("New/Board"), .embedInCode("New/Added")]),
        .target(
            name: "TestSupport", dependencies: ["StandIns", "Sessions", "Events", "Locking", "CPostgres"],
            path: "Tests/TestSupport"),
        .testTarget(name: "EventsTests", dependencies: ["Events", "TestSupport"]),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "Events", "Locking", "TestSupport"]),
        .testTarget(name: "BindingTests", dependencies: ["Binding", "Locking"]),
        .testTarget(name: "ViewModelsTests", dependencies: ["Samples", "ViewModels", "TestSupport"]),
        .testTarget(name: "ViewModelsNextTests", dependencies: ["ViewModelsNext", "Binding"]),
        .testTarget(
            name: "SamplesTests", dependencies: ["Samples", "ViewModels", "ViewModelContract", "TestSupport"]),
        .testTarget(name: "ViewModelContractTests", dependencies: ["ViewModelContract", "TestSupport"]),
        .testTarget(
            name: "BinderyClientTests",
            dependencies: [
                "BinderyClient", "BinderyKit", "BinderyTesting", "Samples", "Service", "Sessions", "ViewModels",
                "Binding", "Locking", "TestSupport",
            ], exclude: ["Generated/everything.d.ts"]),
        .testTarget(
            name: "BinderyTestingTests",
            dependencies: ["BinderyKit", "BinderyTesting", "Samples", "Sessions", "ViewModels"]),
        // Holds it to working in XCTest, too.
        .testTarget(name: "BinderyTestingXCTests", dependencies: ["BinderyTesting", "Samples", "ViewModels"]),
        .testTarget(
            name: "BinderyKitTests",
            dependencies: [
                "BinderyKit", "BinderyClient", "bindery", "Samples", "Service", "SQLiteStore", "PostgresStore",
                "StoreParts", "Sessions",
                "Events", "ViewModelContract", "TestSupport",
            ]),
        // The README's example, its files where a package of its own would have them.
        .executableTarget(name: "Tickets", dependencies: ["BinderyKit"], path: "Tests/Readme/Sources/Tickets"),
        .testTarget(
            name: "TicketsTests", dependencies: ["Tickets", "BinderyTesting"],
            path: "Tests/Readme/Tests/TicketsTests"),
        // Holds the samples of the README and of the documentation to code that is built and run.
        .testTarget(
            name: "BookTests",
            dependencies: ["Tickets", "bindery", "BinderyKit", "BinderyTesting", "Samples", "TestSupport"]),
        .testTarget(name: "SessionsTests", dependencies: ["Sessions", "Samples", "Events", "Locking", "TestSupport"]),
        .testTarget(
            name: "ServiceTests",
            dependencies: ["Service", "Samples", "Events", "Locking", "SQLiteStore", "WebFiles", "TestSupport"]),
        .testTarget(
            name: "StoreContractTests",
            dependencies: ["Sessions", "Locking", "SQLiteStore", "PostgresStore", "TestSupport"]),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: ["PostgresStore", "Samples", "StoreParts", "Events", "Sessions", "Locking", "TestSupport"]),
        .executableTarget(
            name: "store-child", dependencies: ["SQLiteStore", "Sessions"], path: "Tests/StoreChild"),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "SQLiteStore", "Samples", "StoreParts", "Events", "Sessions", "Locking", "TestSupport", "store-child",
            ],
            resources: [.copy("Fixtures")]),
        .executableTarget(
            name: "crash-client", dependencies: ["BinderyClient", "Samples"], path: "Tests/Crash/Client"),
        .target(name: "CEntropy", path: "Tests/Simulation/CEntropy"),
        .executableTarget(
            name: "simulate", dependencies: ["Sessions", "ViewModels", "Binding", "CEntropy", "TestSupport"],
            path: "Tests/Simulation/Simulate"),
        .testTarget(name: "EntitiesNextTests", dependencies: ["EntitiesNext", "Locking"]),
        .executableTarget(
            name: "store-child-next", dependencies: ["SQLiteStoreNext", "EntitiesNext", "Locking"],
            path: "Tests/StoreChildNext"),
        .testTarget(
            name: "StoreContractNextTests",
            dependencies: [
                "SQLiteStoreNext", "PostgresStoreNext", "StorePartsNext", "EntitiesNext", "Locking", "CSQLite",
                "store-child-next", "TestSupport",
            ]),
        .testTarget(
            name: "PostgresStoreNextTests",
            dependencies: [
                "PostgresStoreNext", "StorePartsNext", "EntitiesNext", "Locking", "CPostgres", "TestSupport",
            ]),
        .executableTarget(
            name: "simulate-next", dependencies: ["EntitiesNext", "Locking"], path: "Tests/SimulationNext",
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
