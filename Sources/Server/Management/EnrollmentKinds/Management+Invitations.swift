package import DeviceMessages
import Foundation
import InputBounds

extension Management {
    /// Invites a person to enroll a device of their own; its password is in the answer and nowhere else.
    ///
    /// Without `account` it is what a directory or the mail calls the person.
    package func invite(
        _ person: String, account: String?, group: String, validSeconds: Int?, author: String,
        reachesSecrets: Bool = true
    ) async throws -> Outcome<IssuedInvitation, AdminRefusal> {
        let seconds = validSeconds ?? Invitation.defaultValidity
        guard (1...EnrollmentCodeRequest.longestValidity).contains(seconds) else {
            return .refused(
                .invalid(rule: "An invitation is valid for 1 to \(EnrollmentCodeRequest.longestValidity) seconds."))
        }
        guard settings.enrollmentOffer?.means != .attestedACME else {
            return .refused(
                .invalid(rule: "Where chips vouch, no device can enroll by account: a chip names the device."))
        }
        guard let known = try await person.isEmpty ? nil : self.person(person)?.person else {
            return .refused(.unknownPerson)
        }
        let name = account ?? known.details[.principalName] ?? known.details[.email] ?? known.userName
        let parsed: EnrollmentAccount
        do {
            parsed = try EnrollmentAccount(parsing: name)
        } catch {
            let rule = "The person has no account such as anna@example.org: \(error.rule). Name one, or set an email."
            return .refused(.invalid(rule: rule))
        }
        let kept = Self.account(parsed.name)
        if let rule = NameRule(.composed, upTo: 254).brokenRule(by: kept) {
            return .refused(.invalid(rule: "The person's account \(rule)."))
        }
        let password = Base32.text(random(10))
        let invitation = Invitation(
            account: kept, person: known.userName, group: group,
            passwordHash: try await hash(password), author: author, created: moment,
            expires: moment + TimeInterval(seconds), reachesSecrets: reachesSecrets)
        if let refusal = try await store.putInvitation(invitation) { return .refused(refusal) }
        return .accepted(IssuedInvitation(password: password, invitation: invitation))
    }

    /// An account as it is kept and looked up: people do not mind how they write it.
    private static func account(_ text: String) -> String { Person.composed(text.lowercased()) }

    package func invitations(_ page: PageRequest) async throws -> Page<Invitation> {
        try await store.invitations(page)
    }

    package func invitation(of person: String) async throws -> Invitation? {
        try await store.invitation(of: Person.composed(person))
    }

    package func removeInvitation(of person: String, author: String) async throws -> AdminRefusal? {
        try await store.removeInvitation(of: Person.composed(person), author: author, now: moment)
    }

    /// Whether people may enroll by account with this server.
    package var enrolsByAccount: Bool { settings.enrollmentOffer.map { $0.means != .attestedACME } ?? false }

    /// Signs a person in, for a right to enroll one device; `address` is where the request came from.
    package func signIn(
        account: String, password: String, from address: String?
    ) async throws -> Outcome<String, LogInRefusal> {
        guard enrolsByAccount, account.utf8.count <= 256, password.utf8.count <= Self.passwordBytes else {
            return .refused(.wrongNameOrPassword)
        }
        let name = Self.account(account)
        guard NameRule(.composed, upTo: 256).takes(name) else { return .refused(.wrongNameOrPassword) }
        let outcome = try await signIns.attempt(name: name, address: address, now: uptime()) { () -> Invitation? in
            let found = try await store.invitation(account: name)
            guard let found, now() < found.expires else {
                // The same work for an account that is not invited, so that the time does not tell.
                _ = try await hash(password)
                return nil
            }
            return try await matches(password, found.passwordHash) ? found : nil
        }
        if let refusal = outcome.refusal { return .refused(refusal) }
        guard case .accepted(.some(let invitation)) = outcome else { return .refused(.wrongNameOrPassword) }
        let token = Base32.text(random(20))
        let code = EnrollmentCode(
            id: Hexadecimal.text(random(16)), group: invitation.group, ownership: .personal, supervised: false,
            allowLegacyCryptography: false, author: invitation.author, created: moment,
            expires: moment + Invitation.rightSeconds, state: .unused,
            holder: .person(invitation.person, account: invitation.account),
            reachesSecrets: invitation.reachesSecrets)
        guard try await store.addAccountRight(code, digest: Self.digest(token), of: invitation) else {
            return .refused(.wrongNameOrPassword)
        }
        return .accepted(token)
    }

    /// The profile for who signed in; the right stays unused until a certificate is asked for with it.
    package func accountProfile(token: String) async throws -> Outcome<EnrollmentProfile, CodeRefusal> {
        guard let offer = settings.enrollmentOffer else { return .refused(.unknown) }
        switch try await examine(code: token) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let code):
            guard case .person = code.holder else { return .refused(.unknown) }
            return .accepted(offer.profile(right: token, Arrival(code), topic: push.setup?.topic))
        }
    }
}
