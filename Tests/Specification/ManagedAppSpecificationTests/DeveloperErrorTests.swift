import Foundation
import SwiftCompiler
import Testing

/// What the compiler tells a developer: the same that builds this package is asked about small files.
@Suite(.enabled(if: SwiftCompiler.isThere, "what this package was built into is elsewhere"))
struct DeveloperErrorTests {
    static let complaints: [(member: String, message: String)] = [
        ("let a: Int = 1", "error: a 'let' with a value cannot be configured: write @Key(default: 1)"),
        ("var a = 1", "error: say the type: what an administrator may write depends on it"),
        ("var a: Int, b: Int", "error: one property a line, so that each can be documented"),
        ("var a: Int? = 1", "error: an optional property has no default: either nothing may stand there or this"),
        ("let a: Character", "error: "),
        ("@Key(range: \"a\"...\"b\") let a: Int", "error: "),
    ]

    @Test(arguments: complaints) func whatCannotBeConfiguredDoesNotCompile(
        complaint: (member: String, message: String)
    ) async throws {
        let said = try await Compiler.said("@ManagedConfiguration struct Notes { \(complaint.member) }")
        #expect(said.contains(complaint.message), "\(said)")
    }

    /// A type of the app's own needs no decoder, only what it is configured as.
    @Test func aTypeOfTheAppsOwnIsConfiguredAsAnother() async throws {
        let said = try await Compiler.said(
            """
            struct Color: ConfigurationConvertible {
                var configured: String { "" }
                init?(configured text: String) { nil }
            }
            @ManagedConfiguration struct Notes { let color: Color?; let colors: [Color]? }
            """)
        #expect(said.isEmpty, "\(said)")
    }

    @Test func onlyAStructIsAConfiguration() async throws {
        let said = try await Compiler.said("@ManagedConfiguration class Notes {}")
        #expect(said.contains("error: a configuration is a struct"), "\(said)")
    }

    /// S4-API-10: an app reads what was configured, and sets nothing.
    @Test func aConfigurationIsReadOnly() async throws {
        let notes = """
            @ManagedConfiguration struct Notes { let a: Int; @Key(range: 1...9) private(set) var b: Int = 2 }
            """
        #expect(try await Compiler.said(notes + "\nfunc f(_ n: Notes) -> Int { n.a + n.b }").isEmpty)
        for name in ["a", "b"] {
            let said = try await Compiler.said(notes + "\nfunc f(_ n: inout Notes) { n.\(name) = 1 }")
            #expect(said.contains("error: cannot assign to property: '\(name)'"), "\(said)")
        }
    }

    @Test(arguments: ["", "public ", "package "]) func whatIsWrittenHasTheStructsAccessAndNoWarning(
        access: String
    ) async throws {
        let said = try await Compiler.said(
            """
            @ManagedConfiguration \(access)struct Empty {}
            @ManagedConfiguration \(access)struct Notes {
                static let limit = 3
                var twice: Int { (a ?? 0) * 2 }
                @Key("other", title: "A \\"title\\"", default: 3.5) let b: Double
                let a: Int?
                let inner: [Empty]?
            }
            """)
        #expect(said.isEmpty, "\(said)")
    }
}

private enum Compiler {
    /// What is said of a file; nothing if it is fine.
    static func said(_ source: String) async throws -> String {
        try await SwiftCompiler.judge(
            "import ManagedAppSpecification\n\(source)\n", named: "Configuration", ["-package-name", "notes"]
        ).text
    }
}
