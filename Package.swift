// swift-tools-version: 6.2
// The arrows of the house, in the order of the road. See ARCHITECTURE.md.
import CompilerPluginSupport
import PackageDescription

/// One strictness for every target of ours.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Examples and client checks are built as an app developer builds: Swift 6, nothing of ours switched on.
let asAClient: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let configurationTesting = Target.Dependency.product(name: "ConfigurationTesting", package: "swift-configuration")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioFoundation = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let nioExtras = Target.Dependency.product(name: "NIOExtras", package: "swift-nio-extras")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
/// What macros are written with; only who uses one of ours builds it.
let swiftSyntax = ["SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"]
    .map { Target.Dependency.product(name: $0, package: "swift-syntax") }
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")

let package = Package(
    name: "martlet",
    products: [
        .library(name: "ManagedApp", targets: ["ManagedApp"]),
        .library(name: "ManagedAppConfiguration", targets: ["ManagedAppConfiguration"]),
        .library(name: "ManagedAppLegacy", targets: ["ManagedAppLegacy"]),
        .library(name: "ManagedAppNetworking", targets: ["ManagedAppNetworking"]),
        .library(name: "ManagedAppSecurity", targets: ["ManagedAppSecurity"]),
        .library(name: "ManagedAppSpecification", targets: ["ManagedAppSpecification"]),
        .library(name: "WipedMemory", targets: ["WipedMemory"]),
        .executable(name: "martlet", targets: ["martlet"]),
        .executable(name: "martlet-server", targets: ["martlet-server"]),
        .executable(name: "martlet-agent", targets: ["martlet-agent"]),
        // For our own tests alone: loaded before the C library, it ends a process at a chosen write.
        .library(name: "CrashPoint", type: .dynamic, targets: ["CrashPoint"]),
        .library(name: "Preload", type: .dynamic, targets: ["Preload"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // Messages: what crosses a wire. Values only, no I/O.
        .target(name: "InputBounds", path: "Sources/Messages/InputBounds"),
        .target(name: "DeviceMessages", dependencies: ["InputBounds"], path: "Sources/Messages/DeviceMessages"),
        .target(name: "AdminMessages", path: "Sources/Messages/AdminMessages"),
        .target(name: "Signatures", path: "Sources/Messages/Signatures"),
        .target(
            name: "AppMessages", dependencies: ["InputBounds", "Signatures"], path: "Sources/Messages/AppMessages"),

        // What a program frees is overwritten; nothing to call.
        .target(name: "WipedMemory", path: "Sources/WipedMemory"),

        // Certificates: each protocol alone. No sockets, no database.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Certificates/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .target(
            name: "CryptographicMessages",
            dependencies: ["Signatures", "COpenSSL", crypto, cryptoExtras, swiftASN1, x509],
            path: "Sources/Certificates/CryptographicMessages"),
        .target(
            name: "CertificateAuthority", dependencies: [crypto, cryptoExtras, swiftASN1, x509],
            path: "Sources/Certificates/CertificateAuthority"),
        .target(
            name: "SCEP", dependencies: ["CryptographicMessages", crypto, cryptoExtras, swiftASN1, x509],
            path: "Sources/Certificates/SCEP"),
        .target(
            name: "Attestation",
            dependencies: ["CryptographicMessages", "Signatures", crypto, cryptoExtras, swiftASN1, x509],
            path: "Sources/Certificates/Attestation"),

        .target(
            name: "ACME", dependencies: ["InputBounds", crypto, cryptoExtras, swiftASN1, x509],
            path: "Sources/Certificates/ACME"),

        // Apps: packages of them. No network.
        .systemLibrary(
            name: "CZstd", path: "Sources/Apps/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(
            name: "AppPackages",
            dependencies: ["InputBounds", "CryptographicMessages", "CZstd", crypto, swiftASN1, x509],
            path: "Sources/Apps/AppPackages"),

        // Specification: what an app publishes
        .target(name: "Patterns", path: "Sources/Specification/Patterns"),
        .target(
            name: "JSONSchema", dependencies: ["InputBounds", "Patterns"], path: "Sources/Specification/JSONSchema"),
        .target(
            name: "AppSpecification", dependencies: ["InputBounds", "JSONSchema", "Patterns"],
            path: "Sources/Specification/AppSpecification"),
        .macro(
            name: "ManagedAppSpecificationMacros", dependencies: swiftSyntax,
            path: "Sources/Specification/ManagedAppSpecificationMacros"),
        .target(
            name: "ManagedAppSpecification",
            dependencies: [
                "ManagedAppSpecificationMacros", "AppSpecification", "InputBounds", "JSONSchema", "ManagedApp",
            ],
            path: "Sources/Specification/ManagedAppSpecification"),

        // Admin
        .executableTarget(
            name: "martlet",
            dependencies: [
                "AdminMessages", "AppPackages", "AppSpecification", "CommandOutput", "CryptographicMessages",
                "DeviceMessages",
                "InputBounds", "JSONSchema", "MeantCommand", argumentParser, asyncHTTPClient, crypto, nioCore,
                nioFoundation, nioHTTP1, nioSSL, nioPosix,
            ],
            path: "Sources/Admin/martlet"),

        // Server
        .target(
            name: "Management",
            dependencies: [
                "AppPackages", "AppSpecification", "JSONSchema", "DeviceMessages", "InputBounds",
                "CertificateAuthority",
                "CryptographicMessages", "ACME",
                "Attestation", "CArgon2", crypto, cryptoExtras, swiftASN1, x509,
            ],
            path: "Sources/Server/Management"),
        .systemLibrary(
            name: "CArgon2", path: "Sources/Server/CArgon2", pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev"])]),
        .target(
            name: "StoreSQLite",
            dependencies: [
                "Management", "DeviceMessages", "ACME", "CertificateAuthority", "InputBounds", grdb, sqlite,
            ],
            path: "Sources/Server/StoreSQLite"),
        .systemLibrary(
            name: "CQRCode", path: "Sources/Server/CQRCode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        // Pages for administrators: values in, markup out.
        .target(
            name: "Console",
            dependencies: ["AdminMessages", "AppSpecification", "CQRCode", "JSONSchema", "InputBounds", crypto],
            path: "Sources/Server/Console",
            resources: [
                .embedInCode("Files/console.css"), .embedInCode("Files/console.js"), .embedInCode("Files/live.js"),
            ]),
        .target(
            name: "OpenIDConnect",
            dependencies: [
                "InputBounds", asyncHTTPClient, crypto, jwt, lifecycle, nioCore, nioFoundation, nioHTTP1, nioSSL,
            ],
            path: "Sources/Server/OpenIDConnect"),
        // What administrators' other systems are told of.
        .target(
            name: "Webhooks",
            dependencies: [
                "Management", asyncHTTPClient, lifecycle, logging, nioCore, nioHTTP1, nioPosix, nioSSL,
            ],
            path: "Sources/Server/Webhooks"),
        // Wakes Apple devices.
        .target(
            name: "ApplePush",
            dependencies: [
                "Management", "InputBounds", asyncHTTPClient, crypto, lifecycle, logging, nioCore, nioHTTP1, nioSSL,
            ],
            path: "Sources/Server/ApplePush"),
        .target(
            name: "ServerHTTP",
            dependencies: [
                "Management", "OpenIDConnect", "Webhooks", "ApplePush", "Console", "AdminMessages", "AppPackages",
                "AppSpecification",
                "JSONSchema",
                "DeviceMessages",
                "InputBounds",
                "SCEP",
                "ACME", "Attestation", "CryptographicMessages", "CertificateAuthority", hummingbird, hummingbirdCore,
                nioCore,
                nioFoundation,
                nioExtras, nioHTTP1, nioPosix, nioSSL, nioTLS, crypto, x509, swiftASN1, logging, lifecycle,
            ],
            path: "Sources/Server/ServerHTTP"),
        .executableTarget(
            name: "martlet-server",
            dependencies: [
                "ServerHTTP", "StoreSQLite", "Management", "OpenIDConnect", "ApplePush", "CertificateAuthority",
                "CommandOutput", "DeviceMessages", "MeantCommand", "ServiceManager",
                "WipedMemory",
                "InputBounds", argumentParser, crypto,
                configuration, lifecycle, unixSignals, logging, nioCore, nioPosix, nioSSL,
            ],
            path: "Sources/Server/martlet-server"),

        // All programs with commands
        .target(name: "CommandOutput", dependencies: [argumentParser], path: "Sources/CommandOutput"),

        .target(
            name: "MeantCommand", dependencies: ["InputBounds", argumentParser], path: "Sources/MeantCommand"),

        // Both programs that a service manager starts
        .target(
            name: "ServiceManager", dependencies: ["InputBounds", configuration, lifecycle],
            path: "Sources/ServiceManager"),

        // Device
        .target(name: "CLinux", path: "Sources/Device/CLinux"),
        .systemLibrary(
            name: "CTPM", path: "Sources/Device/CTPM", providers: [.apt(["libtss2-dev"])]),
        .target(
            name: "TPMKeys", dependencies: ["Attestation", "Signatures", "CTPM"],
            path: "Sources/Device/TPMKeys"),
        .target(
            name: "DeviceAgent",
            dependencies: [
                "DeviceMessages", "AppMessages", "AppPackages", "Signatures", "InputBounds", "Patterns", "SCEP", "ACME",
                "CryptographicMessages", "Attestation", "TPMKeys", "CertificateAuthority", "CLinux", asyncHTTPClient,
                nioCore, nioFoundation,
                nioHTTP1, nioPosix, nioSSL,
                crypto, cryptoExtras, x509, swiftASN1, logging, lifecycle,
            ],
            path: "Sources/Device/DeviceAgent"),
        .target(
            name: "AppDevelopment",
            dependencies: [
                "DeviceAgent", "AppMessages", "AppSpecification", "CLinux", "DeviceMessages", "InputBounds",
                "JSONSchema", logging,
            ],
            path: "Sources/Device/AppDevelopment"),
        .executableTarget(
            name: "martlet-agent",
            dependencies: [
                "AppDevelopment", "CommandOutput", "DeviceAgent", "DeviceMessages", "TPMKeys", "CLinux",
                "ServiceManager", "WipedMemory",
                "InputBounds", "MeantCommand", argumentParser,
                configuration,
                lifecycle, unixSignals, logging,
            ],
            path: "Sources/Device/martlet-agent"),
        .target(
            name: "ManagedApp", dependencies: ["AppMessages", "Signatures", "CLinux", "InputBounds"],
            path: "Sources/Device/ManagedApp"),
        .target(
            name: "ManagedAppConfiguration", dependencies: ["ManagedApp", "InputBounds", configuration],
            path: "Sources/Device/ManagedAppConfiguration"),
        // Begins before main, in whatever links it.
        .target(name: "CManagedAppLegacy", path: "Sources/Device/CManagedAppLegacy"),
        .target(
            name: "ManagedAppLegacy", dependencies: ["ManagedApp", "AppMessages", "InputBounds", "CManagedAppLegacy"],
            path: "Sources/Device/ManagedAppLegacy"),
        .target(
            name: "ManagedAppNetworking",
            dependencies: ["ManagedApp", asyncHTTPClient, nioCore, nioFoundation, nioSSL],
            path: "Sources/Device/ManagedAppNetworking"),
        .target(
            name: "ManagedAppSecurity",
            dependencies: ["ManagedApp", "Signatures", crypto, cryptoExtras, swiftASN1, x509],
            path: "Sources/Device/ManagedAppSecurity"),

        // Examples
        .executableTarget(
            name: "Landmarks",
            dependencies: [
                "ManagedApp", "ManagedAppLegacy", "ManagedAppNetworking", "ManagedAppSpecification", asyncHTTPClient,
                nioCore,
            ],
            path: "Examples/Landmarks", exclude: ["Info.plist", "README.md", "specification.json"],
            swiftSettings: asAClient),
        .executableTarget(
            name: "Browser",
            dependencies: ["ManagedApp", "ManagedAppNetworking", "ManagedAppSpecification", asyncHTTPClient, nioCore],
            path: "Examples/Browser", exclude: ["Info.plist", "README.md", "blocker.py", "specification.json"],
            swiftSettings: asAClient),
        .executableTarget(
            name: "Licensing",
            dependencies: ["ManagedApp", "ManagedAppNetworking", "ManagedAppSpecification", asyncHTTPClient, nioCore],
            path: "Examples/Licensing/App", exclude: ["Info.plist"], swiftSettings: asAClient),
        .executableTarget(
            name: "LicenseServer", dependencies: [nioCore, nioHTTP1, nioPosix, nioSSL, swiftASN1, x509],
            path: "Examples/Licensing/Server", swiftSettings: asAClient),
        .target(
            name: "TunnelConfiguration", dependencies: ["ManagedAppSpecification"],
            path: "Examples/Tunnel/Configuration", swiftSettings: asAClient),
        .executableTarget(
            name: "Tunnel", dependencies: ["ManagedApp", "ManagedAppSpecification", "TunnelConfiguration"],
            path: "Examples/Tunnel/App", swiftSettings: asAClient),
        .executableTarget(
            name: "TunnelProvider",
            dependencies: ["ManagedApp", "ManagedAppNetworking", "TunnelConfiguration", asyncHTTPClient, nioCore],
            path: "Examples/Tunnel/Extension", swiftSettings: asAClient),
        .executableTarget(
            name: "Greeter", dependencies: ["ManagedApp", "ManagedAppSpecification"], path: "Examples/Greeter",
            exclude: ["Info.plist", "README.md", "specification.json"], swiftSettings: asAClient),
        .executableTarget(
            name: "PageViewer", dependencies: ["ManagedAppLegacy"], path: "Examples/PageViewer",
            exclude: ["Info.plist", "README.md", "specification.json"], swiftSettings: asAClient),
        .executableTarget(
            name: "Workplace",
            dependencies: ["ManagedApp", "ManagedAppNetworking", "ManagedAppSpecification", asyncHTTPClient, nioCore],
            path: "Examples/Workplace", exclude: ["Info.plist", "README.md", "service.py", "specification.json"],
            swiftSettings: asAClient),

        // Benchmarks: plays devices, measures servers
        .executableTarget(
            name: "martlet-load",
            dependencies: [
                "ACME", "AdminMessages", "CryptographicMessages", "DeviceMessages", "InputBounds", "SCEP",
                argumentParser,
                asyncHTTPClient, crypto, cryptoExtras, nioCore, nioFoundation, nioHTTP1, nioPosix, nioSSL, x509,
            ],
            path: "Benchmarks/martlet-load"),
        .executableTarget(
            name: "SecretBench", dependencies: ["ManagedApp"], path: "Benchmarks/SecretBench", swiftSettings: asAClient),
        .executableTarget(
            name: "SpecificationBench", dependencies: ["AppSpecification", "InputBounds"],
            path: "Benchmarks/SpecificationBench"),
        .executableTarget(name: "socket-floor", path: "Benchmarks/socket-floor"),

        // Tests, in the folders of Sources
        .target(name: "TestInputs", path: "Tests/Support/TestInputs"),
        .target(name: "TestLog", dependencies: [logging], path: "Tests/Support/TestLog"),
        .target(
            name: "PlayedAgent",
            dependencies: ["AppMessages", "Signatures", "CLinux", "ManagedApp", crypto, cryptoExtras, swiftASN1, x509],
            path: "Tests/Support/PlayedAgent"),
        .target(
            name: "CraftedPackages", dependencies: ["AppPackages", "CryptographicMessages", crypto, swiftASN1, x509],
            path: "Tests/Support/CraftedPackages"),
        .target(name: "MadeRoots", dependencies: [crypto, swiftASN1, x509], path: "Tests/Support/MadeRoots"),
        .target(name: "Waiting", path: "Tests/Support/Waiting"),
        .target(name: "SoftwareTPM", dependencies: ["CTPM", "TPMKeys", "Waiting"], path: "Tests/Support/SoftwareTPM"),
        .testTarget(
            name: "InputBoundsTests", dependencies: ["InputBounds", "TestInputs"],
            path: "Tests/Messages/InputBoundsTests"),
        .testTarget(
            name: "DeviceMessagesTests", dependencies: ["DeviceMessages", "InputBounds", "TestInputs"],
            path: "Tests/Messages/DeviceMessagesTests", exclude: ["Golden"]),
        .testTarget(
            name: "AppMessagesTests", dependencies: ["AppMessages", "Signatures", "InputBounds", "TestInputs"],
            path: "Tests/Messages/AppMessagesTests"),
        .testTarget(
            name: "AdminMessagesTests", dependencies: ["AdminMessages", "InputBounds", "TestInputs"],
            path: "Tests/Messages/AdminMessagesTests"),
        .testTarget(
            name: "PatternsTests", dependencies: ["Patterns", "TestInputs"], path: "Tests/Specification/PatternsTests"),
        .testTarget(
            name: "JSONSchemaTests", dependencies: ["JSONSchema", "InputBounds", "TestInputs"],
            path: "Tests/Specification/JSONSchemaTests"),
        .testTarget(
            name: "AppSpecificationTests",
            dependencies: ["AppSpecification", "JSONSchema", "InputBounds", "TestInputs"],
            path: "Tests/Specification/AppSpecificationTests"),
        .testTarget(
            name: "ManagedAppSpecificationTests",
            dependencies: [
                "ManagedAppSpecification", "ManagedApp", "AppSpecification", "JSONSchema", "InputBounds",
                "SwiftCompiler", "TestInputs",
            ],
            path: "Tests/Specification/ManagedAppSpecificationTests", swiftSettings: asAClient),
        .target(name: "SwiftCompiler", path: "Tests/Support/SwiftCompiler"),
        .target(name: "GuideBlocks", path: "Tests/Support/GuideBlocks"),
        .testTarget(
            name: "GuideTests",
            dependencies: [
                "GuideBlocks", "ManagedAppSpecification", "ManagedApp", "AppSpecification", "InputBounds",
                "SwiftCompiler",
            ],
            path: "Tests/Guides"),
        .testTarget(name: "ScriptTests", path: "Tests/Scripts"),
        .testTarget(
            name: "ExampleSpecificationTests",
            dependencies: [
                "Landmarks", "Greeter", "Browser", "Licensing", "TunnelConfiguration", "Workplace",
                "ManagedAppSpecification", "AppSpecification", "ManagedApp", "InputBounds", "TestInputs",
            ],
            path: "Tests/Examples"),
        .testTarget(
            name: "MartletTests",
            dependencies: [
                "martlet", "AdminMessages", "AppSpecification", "InputBounds", "MeantCommand", "TestInputs", "Waiting",
                argumentParser,
                crypto,
            ],
            path: "Tests/Admin/MartletTests"),
        .testTarget(
            name: "CertificatesTests",
            dependencies: [
                "CryptographicMessages", "Signatures", "CertificateAuthority", "SCEP", "ACME", "Attestation",
                "COpenSSL", "InputBounds", "TestInputs",
                crypto, cryptoExtras, x509, swiftASN1,
            ],
            path: "Tests/Certificates"),
        .testTarget(
            name: "AppPackagesTests",
            dependencies: [
                "AppPackages", "CraftedPackages", "CryptographicMessages", "InputBounds", "TestInputs", x509,
            ],
            path: "Tests/Apps/AppPackagesTests"),
        .target(
            name: "StoreContract",
            dependencies: ["Management", "DeviceMessages", "ACME", "CertificateAuthority", "InputBounds"],
            path: "Tests/Server/StoreContract"),
        .target(name: "EmptyStore", dependencies: ["StoreSQLite"], path: "Tests/Support/EmptyStore"),
        .testTarget(
            name: "ManagementTests",
            dependencies: [
                "Management", "AppSpecification", "EmptyStore", "StoreSQLite", "StoreContract", "CertificateAuthority",
                "DeviceMessages", "InputBounds", "MadeRoots", "TestInputs", "Waiting",
                crypto, grdb, x509, swiftASN1,
            ],
            path: "Tests/Server/ManagementTests"),
        .testTarget(
            name: "StoreSQLiteTests",
            dependencies: [
                "StoreSQLite", "StoreContract", "EmptyStore", "Management", "ACME", "CertificateAuthority",
                "DeviceMessages", "InputBounds", "Waiting", grdb,
            ],
            path: "Tests/Server/StoreSQLiteTests"),
        .testTarget(
            name: "ConsoleTests",
            dependencies: ["Console", "AdminMessages", "AppSpecification", "JSONSchema", "InputBounds", "TestInputs"],
            path: "Tests/Server/ConsoleTests"),
        .testTarget(
            name: "ServerHTTPTests",
            dependencies: [
                "ServerHTTP", "Console", "StoreSQLite", "Management", "OpenIDConnect", "Webhooks", "ApplePush",
                "AdminMessages",
                "AppPackages",
                "DeviceAgent", "DeviceMessages", "GuideBlocks", "martlet",
                "InputBounds", "SCEP", "ACME", "Attestation", "CryptographicMessages", "Signatures",
                "BuiltPrograms", "CertificateAuthority", "EmptyStore", "MadeRoots", "StoreContract", "SoftwareTPM",
                "TPMKeys", "TestInputs", "TestLog", "Waiting", hummingbird, hummingbirdCore, asyncHTTPClient, nioCore,
                nioHTTP1, nioSSL, nioPosix, nioFoundation, nioEmbedded, crypto, cryptoExtras, x509, swiftASN1, logging,
                lifecycle, grdb,
            ],
            path: "Tests/Server/ServerHTTPTests"),
        .testTarget(
            name: "DeviceAgentTests",
            dependencies: [
                "DeviceAgent", "DeviceMessages", "AppMessages", "AppPackages", "Signatures", "CertificateAuthority",
                "CraftedPackages", "CryptographicMessages", "SCEP", "ACME", "Attestation", "TPMKeys", "SoftwareTPM",
                "CLinux", "InputBounds", "MadeRoots", "TestInputs", "TestLog", "Waiting", crypto, cryptoExtras, logging,
                nioCore, nioHTTP1, nioPosix, nioSSL, swiftASN1, x509,
            ],
            path: "Tests/Device/DeviceAgentTests"),
        .testTarget(
            name: "AppDevelopmentTests",
            dependencies: [
                "AppDevelopment", "AppMessages", "AppSpecification", "DeviceAgent", "InputBounds", "JSONSchema",
                "TestInputs",
            ],
            path: "Tests/Device/AppDevelopmentTests"),
        .testTarget(
            name: "TPMKeysTests",
            dependencies: [
                "TPMKeys", "SoftwareTPM", "Attestation", "CertificateAuthority", "CryptographicMessages", "Signatures",
                crypto, cryptoExtras, x509, swiftASN1,
            ],
            path: "Tests/Device/TPMKeysTests"),
        .testTarget(
            name: "ManagedAppTests",
            dependencies: [
                "ManagedApp", "AccountsApp", "ClientInSwift5", "ClientOnMainActor", "DeviceAgent", "AppMessages",
                "CLinux", "DeviceMessages",
                "PlayedAgent", "TestInputs", "Waiting", crypto, cryptoExtras, logging, swiftASN1, x509,
            ],
            path: "Tests/Device/ManagedAppTests"),
        .testTarget(
            name: "ServiceManagerTests", dependencies: ["ServiceManager", "InputBounds", configuration],
            path: "Tests/ServiceManagerTests"),
        .testTarget(
            name: "ManagedAppConfigurationTests",
            dependencies: [
                "ManagedAppConfiguration", "ManagedApp", "DeviceAgent", "CLinux", "Waiting", configuration,
                configurationTesting,
                logging,
            ],
            path: "Tests/Device/ManagedAppConfigurationTests"),
        .testTarget(
            name: "ManagedAppLegacyTests",
            dependencies: ["ManagedAppLegacy", "ManagedApp", "AppMessages", "CLinux", "Waiting"],
            path: "Tests/Device/ManagedAppLegacyTests"),
        .testTarget(
            name: "ManagedAppNetworkingTests",
            dependencies: [
                "ManagedAppNetworking", "ManagedApp", "ClientOfNetworking", "PlayedAgent", asyncHTTPClient, crypto,
                cryptoExtras, nioCore,
                nioHTTP1, nioPosix, nioSSL, swiftASN1, x509,
            ],
            path: "Tests/Device/ManagedAppNetworkingTests"),
        .target(
            name: "ClientOfNetworking",
            dependencies: ["ManagedApp", "ManagedAppNetworking", asyncHTTPClient, nioCore, nioFoundation],
            path: "Tests/Device/ManagedAppClients/Networking", swiftSettings: asAClient),
        .testTarget(
            name: "ManagedAppSecurityTests",
            dependencies: [
                "ManagedAppSecurity", "ManagedApp", "ClientOfSecurity", "PlayedAgent", crypto, cryptoExtras, swiftASN1,
                x509,
            ],
            path: "Tests/Device/ManagedAppSecurityTests"),
        .target(
            name: "ClientOfSecurity", dependencies: ["ManagedApp", "ManagedAppSecurity"],
            path: "Tests/Device/ManagedAppClients/Security", swiftSettings: asAClient),
        .testTarget(
            name: "ManagedAppClientTests", dependencies: ["ManagedApp", "SwiftCompiler"],
            path: "Tests/Device/ManagedAppClientTests", swiftSettings: asAClient),
        .target(
            name: "ClientOnMainActor", dependencies: ["ManagedApp"], path: "Tests/Device/ManagedAppClients/OnMainActor",
            swiftSettings: asAClient + [
                .defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ]),
        .executableTarget(
            name: "AccountsApp", dependencies: ["ManagedApp"], path: "Tests/Device/ManagedAppClients/Accounts",
            swiftSettings: asAClient),
        .target(
            name: "ClientInSwift5", dependencies: ["ManagedApp"], path: "Tests/Device/ManagedAppClients/InSwift5",
            swiftSettings: asAClient + [.swiftLanguageMode(.v5)]),
        .target(name: "CrashPoint", path: "Tests/CrashPoint"),
        .target(name: "Preload", path: "Tests/Preload"),
        .target(name: "Spawn", path: "Tests/Support/Spawn"),
        .target(name: "BuiltPrograms", path: "Tests/Support/BuiltPrograms"),
        // Runs the programs, found by their paths: as dependencies, each change of one would compile all of these anew.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "PlayedAgent", "ManagedApp", "AdminMessages", "AppPackages", "DeviceMessages", "CryptographicMessages",
                "BuiltPrograms", "CertificateAuthority",
                "CraftedPackages", "GuideBlocks", "SCEP", "StoreSQLite", "SoftwareTPM", "Spawn", "TestInputs",
                "Waiting",
                asyncHTTPClient,
                nioCore, nioHTTP1,
                nioPosix, nioSSL, nioTLS,
                nioFoundation, crypto, cryptoExtras, x509, swiftASN1,
            ],
            path: "Tests/EndToEnd", exclude: ["Counting", "Echo", "Moving", "Secrets", "Golden", "Console"]),
        .executableTarget(
            name: "SecretsApp", dependencies: ["ManagedApp", "WipedMemory"], path: "Tests/EndToEnd/Secrets",
            swiftSettings: asAClient),
        .executableTarget(
            name: "EchoApp", dependencies: ["ManagedApp"], path: "Tests/EndToEnd/Echo", swiftSettings: asAClient),
        .executableTarget(
            name: "CountingApp", dependencies: ["ManagedAppLegacy"], path: "Tests/EndToEnd/Counting",
            swiftSettings: asAClient),
        .executableTarget(
            name: "MovingApp", dependencies: ["ManagedApp", "ManagedAppLegacy"], path: "Tests/EndToEnd/Moving",
            swiftSettings: asAClient),
    ],
    swiftLanguageModes: [.v6]
)

let inC: Set<String> = [
    "CLinux", "CManagedAppLegacy", "CrashPoint", "Preload", "Spawn", "WipedMemory", "socket-floor",
]
for target in package.targets where target.type != .system && !inC.contains(target.name) {
    target.swiftSettings = target.swiftSettings ?? strict
}

// The toolchain's own lld takes a third of the time that the default linker does. Set here, so that every way of building
// links alike; only on what no other package depends on, as flags like this one may not reach a package's dependents.
for target in package.targets where [.executable, .test].contains(target.type) {
    target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
}
