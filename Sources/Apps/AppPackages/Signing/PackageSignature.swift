package import CryptographicMessages
package import Foundation

/// The signature over a package's list: detached CMS by the certificate of a team.
package enum PackageSignature {
    /// Signs a list: `certificates` begins with the signer's, those that vouch for it follow.
    package static func sign(
        _ list: [UInt8], certificates: [Data], key: SigningKey, now: Date
    ) throws(PackageRefusal) -> [UInt8] {
        guard let leaf = certificates.first else { throw PackageRefusal(.certificateUnreadable) }
        let signer = try Signer(certificateDER: leaf)
        guard signer.notBefore <= now else { throw PackageRefusal(.certificateNotYetValid) }
        guard now <= signer.notAfter else { throw PackageRefusal(.certificateExpired) }
        let pinned = try pin(leaf)
        let signature: Data
        do {
            signature = try MessageSignature.sign(
                Data(list), certificateDER: leaf, key: key, chain: Array(certificates.dropFirst()))
        } catch {
            throw PackageRefusal(.signatureAlgorithm)
        }
        guard signature.count <= PackageLimits.signature else { throw PackageRefusal(.tooLarge) }
        // Read back as everybody will: also shows a key that belongs to another certificate.
        do {
            try MessageSignature.verify(signature, over: Data(list), by: pinned)
        } catch {
            throw PackageRefusal(.keyOfOther)
        }
        return [UInt8](signature)
    }

    /// Says who signed the list, if that is someone trusted.
    package static func verify(
        _ signature: [UInt8], over list: [UInt8], trust: TeamTrust, now: Date
    ) throws(PackageRefusal) -> Signer {
        let signature = Data(signature)
        let certificates = try read { () throws(SignatureRefusal) in
            try MessageSignature.certificates(in: signature)
        }
        let pinned = try pin(certificates.signer)
        // A package says no time, and one that it said would prove nothing.
        _ = try read { () throws(SignatureRefusal) in
            try MessageSignature.verify(signature, over: Data(list), by: pinned)
        }
        return try trust.judge(certificates.signer, with: certificates.others, now: now)
    }

    /// The signer that a signature names, without a check whether it is trusted.
    package static func signer(of signature: [UInt8]) throws(PackageRefusal) -> Signer {
        let signature = Data(signature)
        let certificates = try read { () throws(SignatureRefusal) in
            try MessageSignature.certificates(in: signature)
        }
        return try Signer(certificateDER: certificates.signer)
    }

    private static func pin(_ certificate: Data) throws(PackageRefusal) -> PinnedSigner {
        do {
            return try PinnedSigner(certificateDER: certificate)
        } catch {
            throw PackageRefusal(.signatureAlgorithm)
        }
    }

    private static func read<Result>(
        _ body: () throws(SignatureRefusal) -> Result
    ) throws(PackageRefusal) -> Result {
        do throws(SignatureRefusal) {
            return try body()
        } catch {
            switch error {
            case .digestAlgorithm, .signatureAlgorithm: throw PackageRefusal(.signatureAlgorithm)
            default: throw PackageRefusal(.signature)
            }
        }
    }
}
