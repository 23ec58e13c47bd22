import Foundation
import SwiftCompiler
import Testing

/// S4-API-01: the declarations of Apple's module, each with its labels, effects and types, are those of ours.
@Suite struct FrameworkDeclarationTests {
    /// As Apple documents them.
    private static let declarations = [
        "ManagedAppConfigurationProvider": "class ManagedAppConfigurationProvider",
        "ManagedAppConfigurationProvider.init()": "init()",
        "ManagedAppConfigurationProvider.configurations(_:)":
            "func configurations<Configuration>(_ t: Configuration.Type) async -> "
            + "some AsyncSequence<Optional<Configuration>, Never> where Configuration : Decodable",
        "ManagedAppPasswordsProvider": "class ManagedAppPasswordsProvider",
        "ManagedAppPasswordsProvider.init()": "init()",
        "ManagedAppPasswordsProvider.identifiers": identifiers,
        "ManagedAppPasswordsProvider.password(withIdentifier:)":
            "func password(withIdentifier identifier: String) async throws(ManagedAppError) -> String",
        "ManagedAppCertificatesProvider": "class ManagedAppCertificatesProvider",
        "ManagedAppCertificatesProvider.init()": "init()",
        "ManagedAppCertificatesProvider.identifiers": identifiers,
        "ManagedAppCertificatesProvider.certificate(withIdentifier:)":
            "func certificate(withIdentifier identifier: String) async throws(ManagedAppError) -> SecCertificate",
        "ManagedAppIdentitiesProvider": "class ManagedAppIdentitiesProvider",
        "ManagedAppIdentitiesProvider.init()": "init()",
        "ManagedAppIdentitiesProvider.identifiers": identifiers,
        "ManagedAppIdentitiesProvider.identity(withIdentifier:)":
            "func identity(withIdentifier identifier: String) async throws(ManagedAppError) -> SecIdentity",
        "ManagedAppError": "enum ManagedAppError",
        "ManagedAppError.invalidIdentifier": "case invalidIdentifier",
        "ManagedAppError.serverError": "case serverError",
        "ManagedAppError.internalError": "case internalError",
        "ManagedAppConfigurationDecodingError":
            "protocol ManagedAppConfigurationDecodingError : Decodable, Encodable, Error",
        "ManagedAppConfigurationDecodingError.code":
            "var code: ManagedAppConfigurationDecodingErrorCode { get set }",
        "ManagedAppConfigurationDecodingError.message": "var message: String { get set }",
        "ManagedAppConfigurationDecodingErrorCode": "struct ManagedAppConfigurationDecodingErrorCode",
        "ManagedAppConfigurationDecodingErrorCode.rawValue": "let rawValue: Int",
        "ManagedAppConfigurationDecodingErrorCode.init(rawValue:)": "init?(rawValue: Int)",
        "ManagedAppConfigurationDecodingErrorCode.firstReserved": "static let firstReserved: Int",
        "ManagedAppConfigurationDecodingErrorCode.generic": "static let generic: Int",
        "ManagedAppConfigurationDecodingErrorCode.timeout": "static let timeout: Int",
        "ManagedAppConfigurationDecodingErrorCode.keyNotFound": "static let keyNotFound: Int",
        "ManagedAppConfigurationDecodingErrorCode.typeMismatch": "static let typeMismatch: Int",
        "ManagedAppConfigurationDecodingErrorCode.valueNotFound": "static let valueNotFound: Int",
        "ManagedAppConfigurationDecodingErrorCode.dataCorrupted": "static let dataCorrupted: Int",
    ]
    private static let identifiers = "var identifiers: some AsyncSequence<Array<String>, Never> { get async }"

    /// No provider conforms to anything, `Sendable` included.
    private static let conformances: [String: Set<String>] = [
        "ManagedAppError": ["Equatable", "Error", "Hashable", "LocalizedError", "Sendable"],
        "ManagedAppConfigurationDecodingError": ["Decodable", "Encodable", "Error", "Sendable"],
        "ManagedAppConfigurationDecodingErrorCode": [
            "Decodable", "Encodable", "Equatable", "Hashable", "RawRepresentable", "Sendable",
        ],
    ]

    @Test(.enabled(if: SwiftCompiler.isThere))
    func everyDeclarationOfTheFrameworkIsHereLetterByLetter() throws {
        let module = try SymbolGraph(of: "ManagedApp")
        for (place, declaration) in Self.declarations {
            #expect(module.declarations[place] == declaration, "\(place)")
        }
        let types = Set(Self.declarations.keys.filter { !$0.contains(".") })
        for type in types { #expect(module.conformances[type] ?? [] == Self.conformances[type] ?? [], "\(type)") }
        // Beside Apple's members the providers and errors have one more, which is Martlet's own.
        let followFromConformances: Set = [
            "!=(_:_:)", "encode(to:)", "errorDescription", "failureReason", "hash(into:)", "hashValue", "helpAnchor",
            "init(from:)", "localizedDescription", "recoverySuggestion",
        ]
        let more = module.declarations.keys.filter { place in
            let parts = place.split(separator: ".", maxSplits: 1).map(String.init)
            return parts.count == 2 && types.contains(parts[0]) && !followFromConformances.contains(parts[1])
                && Self.declarations[place] == nil
        }
        #expect(more == ["ManagedAppConfigurationProvider.configurations(_:fallback:)"])
    }
}
