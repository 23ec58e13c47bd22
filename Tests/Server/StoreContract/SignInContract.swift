import Foundation
import InputBounds
import Management

/// Who signs in elsewhere is known by whom that place means; what they may do is what they have there.
package func storeContractSignIn(_ make: MakeStore) async throws {
    let store = try await make()
    let identity = ExternalIdentity(issuer: "https://i", subject: "1")
    _ = try await store.addFirstAdministrator(
        Administrator(name: "admin", passwordHash: "h", mustChangePassword: false, created: time(0)))
    try await promise("nobody is there before") { try await store.administrator(identity) == nil }
    let anna = Administrator(
        name: "anna", passwordHash: PasswordHash.none, mustChangePassword: false, created: time(1),
        rights: Rights(role: .reader), identity: identity)
    try await promise("one is taken in, without a password") {
        try await store.takeIn(identity, name: "anna", rights: Rights(role: .reader), now: time(1)).value == anna
    }
    try await promise("and found by whom the place means") { try await store.administrator(identity) == anna }
    try await promise("under the first name") {
        try await store.takeIn(identity, name: "other", rights: Rights(role: .reader), now: time(2)).value == anna
    }
    for (issuer, subject) in [("https://i", "2"), ("https://j", "1")] {
        try await promise("a name is one person's") {
            try await store.takeIn(
                ExternalIdentity(issuer: issuer, subject: subject), name: "anna", rights: .all, now: time(3)
            ).refusal == .nameTaken
        }
    }
    try await promise("nor is it a local one's") {
        try await store.takeIn(
            ExternalIdentity(issuer: "https://i", subject: "2"), name: "admin", rights: .all, now: time(3)
        ).refusal == .nameTaken
    }
    try await promise("what they may do is what they have now") {
        let changed = try await store.takeIn(identity, name: "anna", rights: .all, now: time(4)).value
        return changed?.rights == .all && changed?.identity == identity
    }
    try await promise("nobody gives them a password") {
        try await store.resetPassword(of: "anna", to: "h", ends: time(100), author: "admin", now: time(5)).refusal?.kind
            == .invalid
    }
    let session = Session(administrator: "anna", expires: time(100), mustChangePassword: false)
    try await store.openSession(session, tokenDigest: digest(1), limit: 3, now: time(6))
    let token = APIToken(
        id: "1", administrator: "anna", name: "x", scope: TokenScope(rights: .all), created: time(6),
        expires: time(100))
    _ = try await store.addToken(token, digest: digest(2))
    for (id, author) in [("1", "anna"), ("2", "anna/x"), ("3", "annabel")] {
        _ = try await store.addJob(
            Job(id: id, kind: .groupDevices, author: author, created: time(6), request: .null), limit: 9)
    }
    try await store.shutOut(ExternalIdentity(issuer: "https://i", subject: "9"), now: time(7))
    try await promise("another's end is not theirs") {
        try await store.session(tokenDigest: digest(1), now: time(7)) != nil
    }
    try await store.shutOut(identity, now: time(7))
    try await promise("who is shut out has no session and no token") {
        let session = try await store.session(tokenDigest: digest(1), now: time(8))
        let token = try await store.token(digest: digest(2), now: time(8))
        return session == nil && token == nil
    }
    try await promise("nor has a job that goes on") {
        let jobs = try await store.jobs(of: nil, PageRequest()).items
        return jobs.map(\.state) == [.waiting, .cancelled, .cancelled]
    }
}
