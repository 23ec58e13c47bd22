import CertificateAuthority
import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import Management
import StoreSQLite
import Testing

/// How a played device comes to its identities.
///
/// Certificates are made and written down here: asking by SCEP would take longer than all else that a device does.
extension KeepingDevice {
    /// Enrolls by a code of its own, with which it may take the place of an enrollment by its identifier.
    mutating func enroll(on server: TestServer, replacing: Bool = false, at moment: Date) async throws {
        let code = EnrollmentCode(
            id: UUID().uuidString, group: group, ownership: .organization, supervised: true,
            allowLegacyCryptography: false, author: "admin", created: moment, expires: moment + 3_600, state: .unused,
            replaces: replacing ? id : nil)
        let refusal = try await server.store.addEnrollmentCode(code, digest: code.playedDigest)
        #expect(refusal == nil)
        let name = "device \(UUID().uuidString.lowercased())"
        let identity = try await server.issue(by: code, named: name, at: moment)
        try await server.checkIn(identifier, showing: identity)
        begin(as: identity)
    }

    /// A certificate that a right to renew led to, and that is not used yet; it has the enrollment's name, or another.
    func renewal(
        on server: TestServer, named another: String? = nil, at moment: Date
    ) async throws -> PlayedDevice.Identity {
        let right = EnrollmentCode(renewing: id, id: UUID().uuidString, created: moment, expires: moment + 3_600)
        try await server.store.addRenewalRight(right, digest: right.playedDigest)
        let own = try #require(await server.management.certificateName(renewedBy: right))
        return try await server.issue(by: right, named: another ?? own, at: moment)
    }

    /// Goes over to another identity, and tells the server.
    mutating func goOver(to identity: PlayedDevice.Identity, on server: TestServer) async throws {
        try await server.checkIn(identifier, showing: identity)
        use(identity)
    }

    func checkOut(on server: TestServer) async throws {
        let message = CheckOut(identifier: identifier, topic: TestServer.playedTopic)
        let shown = try #require(self.identity)
        let answer = try await server.management.checkIn(.checkOut(message), signer: shown.fingerprint)
        #expect(answer == .done)
    }
}

extension TestServer {
    fileprivate static let playedTopic = "com.apple.mgmt.External.test"

    fileprivate func issue(
        by code: EnrollmentCode, named name: String, at moment: Date
    ) async throws -> PlayedDevice.Identity {
        let key = try SigningKey.generate(.p256)
        let keyDigest = Data(SHA256.hash(data: key.publicKeyInfo))
        _ = try #require(
            await store.redeem(
                digest: code.playedDigest, transactionID: "t", publicKeyDigest: keyDigest, now: moment
            ).value)
        let serial = CertificateSerial.random()
        let end = moment + management.lifetimes.enrollment
        let certificate = try authority.issueDevice(
            publicKeyDER: key.publicKeyInfo, commonName: name, notBefore: moment - Authority.clockTolerance,
            notAfter: end, serial: serial)
        let identity = PlayedDevice.Identity(certificate: certificate, key: key)
        let refusal = try await store.recordIssued(
            IssuedRecord(
                serial: serial.bytes.map { String(format: "%02x", $0) }.joined(), fingerprint: identity.fingerprint,
                certificateDER: certificate, codeID: code.id, publicKeyDigest: keyDigest, issued: moment,
                notAfter: end))
        #expect(refusal == nil)
        return identity
    }

    fileprivate func checkIn(
        _ identifier: EnrollmentIdentifier, showing identity: PlayedDevice.Identity
    ) async throws {
        let authenticate = Authenticate(identifier: identifier, topic: Self.playedTopic, deviceName: "Played")
        let begun = try await management.checkIn(.authenticate(authenticate), signer: identity.fingerprint)
        #expect(begun == .done)
        let update = TokenUpdate(
            identifier: identifier, topic: Self.playedTopic, token: Data([1]), pushMagic: "magic")
        let ended = try await management.checkIn(.tokenUpdate(update), signer: identity.fingerprint)
        #expect(ended == .done)
    }
}

extension EnrollmentCode {
    /// What the store knows it by: nobody is shown the text of a code that is played.
    fileprivate var playedDigest: Data { Data(SHA256.hash(data: Data(id.utf8))) }
}

extension PlayedDevice.Identity {
    fileprivate var fingerprint: Data { Data(SHA256.hash(data: certificate)) }
}
