import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Testing
import Waiting
import X509

/// The app that says which secrets it has, installed on a road under some identifier.
struct SecretsAppOnRoad {
    let app: RoadApp

    /// Installs it and gives it to the group.
    static func installed(as identifier: String = "com.example.secrets", on road: Road) async throws -> Self {
        let app = try await RoadApp.installed("SecretsApp", as: identifier, on: road)
        try await road.martlet("assign", "teachers", identifier)
        return Self(app: app)
    }

    /// Starts it; it says what it has, and again whenever that changes.
    func follow(environment: [String: String] = [:]) throws -> RunningProcess {
        try app.open("follow", environment: environment)
    }

    /// What it finds under an identifier, in a process of its own.
    func ask(_ kind: String, _ identifier: String) async throws -> String {
        let process = try app.open("ask", kind, identifier)
        let line = try await process.line(containing: kind + " ")
        return String(line.text.dropFirst(kind.count + 1))
    }

    func give(_ secret: String, as identifier: String) async throws {
        try await app.road.give(secret, to: app.identifier, as: identifier)
    }

    func withdraw(_ identifier: String) async throws {
        try await app.road.withdraw(identifier, from: app.identifier)
    }
}

extension RunningProcess {
    /// Waits until the app says of a kind exactly these secrets, by identifier, after line `mark`.
    @discardableResult
    func says(
        _ kind: String, _ values: [String], after mark: Int = 0, within patience: Duration = patience
    ) async throws -> Line {
        let wanted = "\(kind) [\(values.joined(separator: ", "))]"
        return try await line(after: mark, within: patience, "“\(wanted)”") { $0 == wanted }
    }

    /// Waits for the app's word on one identity, other than `former`: its certificate, proved to have its key.
    func identity(
        _ identifier: String, after mark: Int = 0, other former: Certificate? = nil,
        within patience: Duration = patience
    ) async throws -> Certificate {
        let start = "identity [\(identifier)="
        var found: Certificate?
        _ = try await line(after: mark, within: patience, "a proof of the identity \(identifier)") { text in
            guard text.hasPrefix(start), text.hasSuffix("]") else { return false }
            found = proven(text.dropFirst(start.count).dropLast().split(separator: " ").map(String.init))
            return found != nil && found != former
        }
        return try #require(found)
    }

    /// The certificate whose key made the signature beside it.
    private func proven(_ parts: [String]) -> Certificate? {
        guard parts.count == 2, let der = Data(base64Encoded: parts[0]), let made = Data(base64Encoded: parts[1]),
            let certificate = try? Certificate(derEncoded: Array(der))
        else { return nil }
        if let key = P256.Signing.PublicKey(certificate.publicKey) {
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: made)
            return signature.map { key.isValidSignature($0, for: der) } == true ? certificate : nil
        }
        if let key = _RSA.Signing.PublicKey(certificate.publicKey) {
            let signature = _RSA.Signing.RSASignature(rawRepresentation: made)
            return key.isValidSignature(signature, for: SHA256.hash(data: der), padding: .insecurePKCS1v1_5)
                ? certificate : nil
        }
        return nil
    }
}

/// What the app says of a password: the number of its bytes and a sum over them (FNV-1a).
func sum(_ password: String) -> String {
    let sum = password.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\(password.utf8.count):\(sum)"
}
