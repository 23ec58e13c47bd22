import AppPackages
package import Foundation

/// The teams whose names say something on this device; anybody can write any team's name into a certificate.
package struct KnownTeams: Sendable, Equatable {
    /// Where the agent installs apps: what lies there was judged before it was unpacked.
    private let installations: String?
    /// Teams' and authorities' certificates that the server names, in DER.
    private let certificates: [Data]

    /// Knows no team by default.
    package init(installations: String? = nil, certificates: [Data] = []) {
        self.installations = installations
        self.certificates = certificates
    }

    /// The team that signed the list in a directory; nil if no known team did.
    ///
    /// When certificates ended is of no account: what is installed does not stop then.
    func team(of signature: [UInt8], over list: [UInt8], in directory: String) throws(SealRefusal) -> String? {
        do {
            let signer = try PackageSignature.signer(of: signature)
            let itself = try TeamTrust([signer.certificateDER])
            let team = try PackageSignature.verify(signature, over: list, trust: itself, now: signer.notBefore).team
            if let installations, directory.hasPrefix(installations + "/") { return team }
            guard let trust = try? TeamTrust(certificates) else { return nil }
            return try? PackageSignature.verify(signature, over: list, trust: trust, now: signer.notBefore).team
        } catch {
            throw .signature
        }
    }
}
