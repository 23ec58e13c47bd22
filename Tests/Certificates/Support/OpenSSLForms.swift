import CryptographicMessages
import Foundation

/// Signatures in the forms of SignedData that clients send, made by the `openssl` command.
enum OpenSSLForms {
    /// A signer's key, and how the command signs.
    static let all: [(SigningKey.Algorithm, String)] = [
        (.rsa2048, "-md sha256"),
        (.rsa2048, "-md sha256 -noattr"),
        (.rsa2048, "-md sha384 -noattr"),
        (.rsa2048, "-md sha512 -noattr"),
        (.p256, "-md sha256 -noattr"),
        (.p384, "-md sha384 -noattr"),
        (.p384, "-md sha512 -keyid"),
        (.rsa2048, "-md sha256 -keyid"),
        (.rsa2048, "-md sha256 -keyid -noattr"),
        (.rsa2048, "-md sha256 -nodetach"),
        (.p256, "-md sha256 -nodetach -noattr"),
        (.rsa2048, "-md sha256 -keyopt rsa_padding_mode:pss"),
        (.rsa2048, "-md sha512 -keyopt rsa_padding_mode:pss -noattr"),
        (.rsa2048, "-md sha256 -noattr -certfile other.pem"),
        (.rsa2048, "-md sha256 -signer other.pem -inkey other.key"),
        (.p384, "-md sha384 -noattr -signer other.pem -inkey other.key"),
    ]

    /// A message of one of these forms, and who signed it: `device.pem` for the options, beside `other.pem`.
    ///
    /// `capabilities` has it list the signer's algorithms, as the tool does by itself.
    static func message(
        _ algorithm: SigningKey.Algorithm, _ options: String, over body: Data, capabilities: Bool = false
    ) throws -> (cms: Data, signer: PinnedSigner) {
        let tool = try OpenSSLTool()
        let identity = try Identity.of(algorithm)
        try tool.write(identity, "device")
        try tool.write(Identity.otherRSA, "other")
        try tool.write(body, "body")
        let files = "-in body -out cms -signer device.pem -inkey device.key"
        try tool.run("cms -sign -binary\(capabilities ? "" : " -nosmimecap") -outform DER \(files) \(options)")
        return (try tool.read("cms"), try PinnedSigner(certificateDER: identity.certificateDER))
    }

    /// The certificates that its messages carry.
    static func certificates(beside signer: PinnedSigner) throws -> [Data] {
        [signer.certificateDER, try Identity.otherRSA.certificateDER]
    }
}
