import Foundation
import MadeRoots
import SwiftASN1
import X509

/// Certificates that are roots, and some that are not, for two days around a moment.
enum TestRoot {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// A certificate in DER; its own root unless `issuer` names another.
    static func der(
        _ name: String = "Root", isAuthority: Bool = true, usage: KeyUsage? = KeyUsage(keyCertSign: true),
        from: Date = now - 86_400, until: Date = now + 86_400, issuer: String? = nil, signsItself: Bool = true
    ) throws -> Data {
        let pem = try MadeRoot.pem(
            name, isAuthority: isAuthority, usage: usage, from: from, until: until, issuer: issuer,
            signsItself: signsItself)
        return Data(try PEMDocument(pemString: pem).derBytes)
    }
}
