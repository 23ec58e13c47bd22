import Attestation
import CertificateAuthority
import Foundation
import Testing

struct AttestationStatementTests {
    @Test func `an attestation in Apple's form is believed, with its facts`() throws {
        let attested = try ForgedStatement.apple()
        let key = try attested.judge(attested.object)
        #expect(key.format == .apple)
        #expect(key.facts.serialNumber == "F2LTEST")
        #expect(key.facts.systemVersion == "26.1")
        #expect(key.facts.udid == nil)
        #expect(key.permanentIdentifier == "F2LTEST")
    }

    @Test func `an attestation in Apple's form that is old, or under another root, is refused`() throws {
        let fresh = try ForgedStatement.apple()
        #expect(throws: AttestationRefusal.stale) { try fresh.judge(fresh.object, nonce: Data([1])) }
        #expect(throws: AttestationRefusal.stale) { try fresh.judge(fresh.object, nonce: Data()) }
        let undated = try ForgedStatement.apple(freshness: nil)
        #expect(throws: AttestationRefusal.stale) { try undated.judge(undated.object) }
        let empty = try ForgedStatement.apple(freshness: Data())
        #expect(throws: AttestationRefusal.stale) { try empty.judge(empty.object, nonce: Data()) }
        let other = try ForgedStatement.apple()
        #expect(throws: AttestationRefusal.untrustedRoot) { try fresh.judge(other.object) }
        // A TPM's root does not vouch for Apple's keys.
        let asTPM = AttestationTrust(tpmRoots: fresh.trust.appleRoots)
        #expect(throws: AttestationRefusal.untrustedRoot) {
            try AttestationStatement(decoding: fresh.object)
                .verify(nonce: ForgedStatement.nonce, trust: asTPM, now: Identity.now)
        }
    }

    @Test func `a blank fact is none`() throws {
        let attested = try ForgedStatement.apple(serial: "  ")
        #expect(try attested.judge(attested.object).permanentIdentifier == nil)
    }

    @Test(arguments: [
        TPMAttributes.fixedTPM, .fixedParent, .sensitiveDataOrigin, .sign,
    ])
    func `a key that lacks one property of a key born in the chip is refused`(_ property: TPMAttributes) throws {
        let all: TPMAttributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .sign]
        let whole = try ForgedStatement.tpm(attributes: all)
        #expect(try whole.judge(whole.object).permanentIdentifier == "C02TEST")
        let lacking = try ForgedStatement.tpm(attributes: all.subtracting(property))
        #expect(throws: AttestationRefusal.attributes) { try lacking.judge(lacking.object) }
    }

    @Test func `a software key says of itself that nobody vouches for it`() throws {
        let empty: [CBORValue] = [
            .map([.init(.text("fmt"), .text("none")), .init(.text("attStmt"), .map([]))]),
            .map([.init(.text("fmt"), .text("apple")), .init(.text("attStmt"), .map([]))]),
            .map([.init(.text("fmt"), .text("apple"))]),
            .map([
                .init(.text("fmt"), .text("tpm")), .init(.text("attStmt"), .map([.init(.text("x5c"), .array([]))])),
            ]),
        ]
        for object in empty {
            #expect(throws: AttestationRefusal.noStatement) { try AttestationStatement(decoding: object.encoded) }
        }
        #expect(throws: AttestationRefusal.noStatement) { try AttestationStatement(decoding: Data()) }
        let unknown = CBORValue.map([
            .init(.text("fmt"), .text("packed")), .init(.text("attStmt"), .map([.init(.text("x5c"), .null)])),
        ])
        #expect(throws: AttestationRefusal.format) { try AttestationStatement(decoding: unknown.encoded) }
        #expect(throws: AttestationRefusal.malformed) { try AttestationStatement(decoding: Data([1])) }
    }

    @Test func `a device that could not attest may say so in fewer words`() {
        #expect(throws: AttestationRefusal.noStatement) { try AttestationStatement(decoding: Data([0xa0])) }
    }

    @Test func `what must be answered is the key authorization to a TPM and the token to Apple`() {
        let question = AttestationQuestion(token: "token", keyAuthorization: "token.thumbprint")
        // SHA-256 by sha256sum.
        #expect(
            question.nonce(for: .tpm).base64EncodedString() == "61rBZ/4knHblO0MNoxFsXZ/eTFUHum0B6IVRbhvUn5I=")
        #expect(
            question.nonce(for: .apple).base64EncodedString() == "PEaenWxYddN6Q/NT1PiOYfz4EsZu7jRXRlpAsNpBU+A=")
    }

    @Test func `an attestation is of the device it names and of no other`() throws {
        let tpm = try ForgedStatement.tpm()
        let chip = try tpm.judge(tpm.object)
        try chip.checkDevice(udid: "C02TEST", serialNumber: nil)
        #expect(throws: AttestationRefusal.otherDevice) {
            try chip.checkDevice(udid: "C02OTHER", serialNumber: "C02TEST")
        }
        let apple = try ForgedStatement.apple()
        let phone = try apple.judge(apple.object)
        try phone.checkDevice(udid: "any", serialNumber: "F2LTEST")
        #expect(throws: AttestationRefusal.otherDevice) { try phone.checkDevice(udid: "F2LTEST", serialNumber: nil) }
        let nameless = try ForgedStatement.apple(serial: " ")
        #expect(throws: AttestationRefusal.otherDevice) {
            try nameless.judge(nameless.object).checkDevice(udid: "any", serialNumber: "F2LTEST")
        }
    }

    @Test(.enabled(if: OpenSSLTool.isThere), arguments: ["sha256", "sha1"])
    func `a certificate signed over SHA-1 is nobody's word`(_ digest: String) throws {
        let tool = try OpenSSLTool()
        try tool.run("req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -subj /CN=Root -days 2")
        try tool.run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out csr -subj /CN=x")
        let nonce = ForgedStatement.nonce.map { String(format: "%02x", $0) }.joined()
        try tool.write("1.2.840.113635.100.8.11.1=DER:\(nonce)\n", "extensions")
        let authority = "-CA root.pem -CAkey root.key -\(digest) -days 1"
        try tool.run("x509 -req -in csr \(authority) -extfile extensions -outform DER -out x.der")
        try tool.run("x509 -in root.pem -outform DER -out root.der")
        let statement = AttestationStatement.apple(chain: [try tool.read("x.der")])
        let trust = AttestationTrust(appleRoots: [try tool.read("root.der")])
        if digest == "sha256" {
            _ = try statement.verify(nonce: ForgedStatement.nonce, trust: trust, now: Date())
        } else {
            #expect(throws: AttestationRefusal.untrustedRoot) {
                try statement.verify(nonce: ForgedStatement.nonce, trust: trust, now: Date())
            }
        }
    }
}
