import Foundation

/// The public declarations of a module, as the compiler says them.
package struct SymbolGraph: Sendable {
    /// Declarations by their place, such as `ManagedAppError.serverError`.
    package let declarations: [String: String]
    /// What types conform to, by their place; marker protocols that follow from others are left out.
    package let conformances: [String: Set<String>]

    private struct File: Decodable {
        struct Symbol: Decodable {
            struct Identifier: Decodable { let precise: String }
            struct Fragment: Decodable { let spelling: String }
            let identifier: Identifier
            let pathComponents: [String]
            let declarationFragments: [Fragment]
        }
        struct Relationship: Decodable {
            let kind: String
            let source: String
            let target: String
            let targetFallback: String?
        }
        let symbols: [Symbol]
        let relationships: [Relationship]
    }

    /// Has the compiler tell of a module that was built beside the tests.
    package init(of module: String) throws {
        guard let products = SwiftCompiler.products else { throw CocoaError(.fileNoSuchFile) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "symbolgraph-extract", "-module-name", module, "-I", products.appending(path: "Modules").path,
            "-Xcc", "-fmodule-map-file=" + products.appending(path: "CLinux.build/module.modulemap").path,
            "-target", "x86_64-unknown-linux-gnu", "-minimum-access-level", "public", "-output-dir", folder.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let data = try Data(contentsOf: folder.appending(path: "\(module).symbols.json"))
        let file = try JSONDecoder().decode(File.self, from: data)
        declarations = Dictionary(
            file.symbols.map { symbol in
                (
                    symbol.pathComponents.joined(separator: "."),
                    symbol.declarationFragments.map(\.spelling).joined()
                        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
                )
            }, uniquingKeysWith: { first, _ in first })
        let places = Dictionary(
            file.symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
            uniquingKeysWith: { first, _ in first })
        var conformances: [String: Set<String>] = [:]
        for relationship in file.relationships where relationship.kind == "conformsTo" {
            guard let place = places[relationship.source] else { continue }
            let name = (relationship.targetFallback ?? relationship.target).split(separator: ".").last.map(String.init)
            if let name, name != "SendableMetatype" { conformances[place, default: []].insert(name) }
        }
        self.conformances = conformances
    }
}
