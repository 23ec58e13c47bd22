import AdminMessages
import DeviceMessages
import Foundation
import Testing

/// People who enroll by account, on both sides of it.
extension AdminClient {
    func invite(
        _ person: String = "anna", group: String = "teachers", validSeconds: Int? = nil
    ) async throws -> InvitationAnswer {
        _ = try await send("POST", "/groups", AdminMessages.Group(name: group))
        _ = try await send("PUT", "/people/\(person)", PersonDetails(email: "\(person)@example.org"))
        let wish = InvitationRequest(group: group, validSeconds: validSeconds)
        let answer = try await send("PUT", "/people/\(person)/invitation", wish)
        try #require(answer.status == 201, "\(answer.text)")
        return try AdminJSON.decode(InvitationAnswer.self, from: answer.body)
    }

    /// What the page says to an account and a password.
    func signIn(_ server: TestServer, _ account: String, _ password: String) async throws -> Answer {
        try await client.send(
            "POST", server.baseURL + "/enroll/account/sign-in",
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Data("account=\(account.replacing("@", with: "%40"))&password=\(password)".utf8))
    }

    /// Invites a person and signs them in; answers what their device shows.
    func signIn(_ person: String, _ server: TestServer, group: String = "teachers") async throws -> String {
        let invitation = try await invite(person, group: group)
        let signedIn = try await signIn(server, invitation.account, invitation.password)
        return try SignInResult(parsing: signedIn.headers["location"] ?? "").token
    }
}
