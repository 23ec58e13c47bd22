import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What a device and its server say of the key with which a chip vouches for others.
struct AttestationKeyTests {
    @Test func `each message survives being written`() throws {
        let request = AttestationKeyRequest(
            endorsementCertificates: [Data([1]), Data([2, 3])], endorsementKey: Data([4]), attestationKey: Data([5]))
        #expect(try AttestationKeyRequest(parsing: request.encoded()) == request)
        let bare = AttestationKeyRequest(
            endorsementCertificates: [], endorsementKey: Data([4]), attestationKey: Data([5]))
        #expect(try AttestationKeyRequest(parsing: bare.encoded()) == bare)
        let challenge = AttestationKeyChallenge(credential: Data([1]), encryptedSeed: Data(count: 256))
        #expect(try AttestationKeyChallenge(parsing: challenge.encoded()) == challenge)
        let activation = AttestationKeyActivation(secret: Data(count: 32))
        #expect(try AttestationKeyActivation(parsing: activation.encoded()) == activation)
        let certificate = AttestationKeyCertificate(certificates: [Data([1])])
        #expect(try AttestationKeyCertificate(parsing: certificate.encoded()) == certificate)
    }

    @Test func `too many, too long, empty and missing parts are refused by their key`() {
        let six = AttestationKeyRequest(
            endorsementCertificates: Array(repeating: Data([1]), count: 6), endorsementKey: Data([4]),
            attestationKey: Data([5]))
        #expect(throws: InputRefusal(rule: "the key EndorsementCertificates has too many elements")) {
            try AttestationKeyRequest(parsing: six.encoded())
        }
        let long = AttestationKeyRequest(
            endorsementCertificates: [], endorsementKey: Data(count: 2_049), attestationKey: Data([5]))
        #expect(throws: InputRefusal(rule: "the key EndorsementKey has no allowed length")) {
            try AttestationKeyRequest(parsing: long.encoded())
        }
        #expect(throws: InputRefusal(rule: "the key Secret has no allowed length")) {
            try AttestationKeyActivation(parsing: Data(#"{"Secret":""}"#.utf8))
        }
        #expect(throws: InputRefusal(rule: "the key Secret is not Base64")) {
            try AttestationKeyActivation(parsing: Data(#"{"Secret":"*"}"#.utf8))
        }
        #expect(throws: InputRefusal(rule: "the key EncryptedSeed is missing")) {
            try AttestationKeyChallenge(parsing: Data(#"{"Credential":"AA=="}"#.utf8))
        }
        #expect(throws: InputRefusal(rule: "the key Certificates is empty")) {
            try AttestationKeyCertificate(parsing: Data(#"{"Certificates":[]}"#.utf8))
        }
    }
}
