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
}
