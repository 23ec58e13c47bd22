package import DeviceMessages
package import Foundation

extension Management {
    /// Makes a code that lets one device enroll.
    ///
    /// Its text is in the answer and nowhere else.
    package func createEnrollmentCode(
        _ request: EnrollmentCodeRequest, author: String
    ) async throws -> Outcome<IssuedEnrollmentCode, AdminRefusal> {
        guard (1...EnrollmentCodeRequest.longestValidity).contains(request.validSeconds) else {
            return .refused(
                .invalid(rule: "A code is valid for 1 to \(EnrollmentCodeRequest.longestValidity) seconds."))
        }
        let text = Base32.text(random(20))
        let code = EnrollmentCode(
            id: Hexadecimal.text(random(16)), group: request.group, ownership: request.ownership,
            supervised: request.supervised, allowLegacyCryptography: request.allowLegacyCryptography, author: author,
            created: moment, expires: moment.addingTimeInterval(TimeInterval(request.validSeconds)), state: .unused,
            replaces: request.replaces, reachesSecrets: request.reachesSecrets)
        if let refusal = try await store.addEnrollmentCode(code, digest: Self.digest(text)) {
            return .refused(refusal)
        }
        return .accepted(IssuedEnrollmentCode(text: text, code: code))
    }

    package func enrollmentCodes(_ page: PageRequest) async throws -> Page<EnrollmentCode> {
        try await store.enrollmentCodes(page)
    }

    package func revokeEnrollmentCode(id: String, author: String) async throws -> AdminRefusal? {
        try await store.revokeEnrollmentCode(id: id, author: author, now: moment)
    }

    /// The profile that a code opens; the code stays unused until a certificate is asked for with it.
    package func enrollmentProfile(code text: String) async throws -> Outcome<EnrollmentProfile, CodeRefusal> {
        guard let offer = settings.enrollmentOffer else { return .refused(.unknown) }
        switch try await examine(code: text) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let code):
            // A right to renew is in the profile of its device already, as is one of a person or of an expected device.
            guard code.renews == nil, code.holder == .anyone else { return .refused(.unknown) }
            var profile = offer.profile(right: text, Arrival(code), topic: push.setup?.topic)
            profile.isSupervised = code.supervised
            return .accepted(profile)
        }
    }

    /// The code that a request carries, without using it.
    package func examine(code text: String) async throws -> Outcome<EnrollmentCode, CodeRefusal> {
        guard let code = try await enrollmentCode(text) else { return .refused(.unknown) }
        switch code.state {
        case .revoked: return .refused(.revoked)
        case .spent: return .refused(.used)
        case .unused: return now() < code.expires ? .accepted(code) : .refused(.expired)
        // Redeemed in time: a device whose answer was lost may go on, and no other key gets in by it.
        case .redeemed: return .accepted(code)
        }
    }

    /// Uses a code for a certificate request.
    ///
    /// The same key may come again until the device has been authenticated; then the certificate that was issued before is
    /// in the answer.
    package func redeem(
        code text: String, transactionID: String, publicKeyDigest: Data
    ) async throws -> Outcome<RedeemedCode, CodeRefusal> {
        guard Self.mayBeCode(text), (1...1_024).contains(transactionID.utf8.count) else { return .refused(.unknown) }
        return try await store.redeem(
            digest: Self.digest(text), transactionID: transactionID, publicKeyDigest: publicKeyDigest, now: moment)
    }

    /// Writes a certificate down.
    ///
    /// Only after this has answered may the certificate leave.
    package func recordIssued(_ certificate: IssuedCertificate) async throws -> CodeRefusal? {
        try await store.recordIssued(certificate)
    }

    /// Whether the enrollment of a certificate may use legacy cryptography: its code said so.
    package func allowsLegacyCryptography(signer fingerprint: Data) async throws -> Bool {
        try await store.allowsLegacyCryptography(fingerprint: fingerprint)
    }

    private func enrollmentCode(_ text: String) async throws -> EnrollmentCode? {
        guard Self.mayBeCode(text) else { return nil }
        return try await store.enrollmentCode(digest: Self.digest(text))
    }

    private static func mayBeCode(_ text: String) -> Bool { text.utf8.count == 32 }
}
