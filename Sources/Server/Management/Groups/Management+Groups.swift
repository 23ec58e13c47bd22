extension Management {
    package func createGroup(
        named name: String, author: String
    ) async throws -> Outcome<Group, AdminRefusal> {
        if let refusal = Group.refusal(ofName: name) { return .refused(refusal) }
        return try await store.addGroup(named: name, author: author, now: moment)
    }

    package func group(named name: String) async throws -> Group? {
        try await store.group(named: name)
    }

    package func groups(_ page: PageRequest) async throws -> Page<Group> {
        try await store.groups(page)
    }

    /// Removes a group that nothing uses any more.
    package func removeGroup(named name: String, author: String) async throws -> AdminRefusal? {
        try await store.removeGroup(named: name, author: author, now: moment)
    }
}
