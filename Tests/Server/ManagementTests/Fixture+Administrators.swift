import Testing

@testable import Management

extension Fixture {
    /// Somebody who may do this, and has a password of their own; the first of them, or one that `admin` let in.
    func hire(_ name: String, _ rights: Rights = .all) async throws {
        let administrator = Administrator(
            name: name, passwordHash: "h", mustChangePassword: false, created: Self.start, rights: rights)
        let store = try management.store
        if try await store.addFirstAdministrator(administrator) { return }
        #expect(try await store.addAdministrator(administrator, author: "admin", now: Self.start) == nil)
    }

    /// The administrator `admin` and the group `pilots`.
    func administrate() async throws {
        try await hire("admin")
        _ = try await management.createGroup(named: "pilots", author: "admin")
    }
}
