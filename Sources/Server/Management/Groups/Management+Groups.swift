extension Management {
    package func createGroup(
        named name: String, rule: GroupRule? = nil, author: String
    ) async throws -> Outcome<Group, AdminRefusal> {
        if let refusal = Group.refusal(ofName: name) { return .refused(refusal) }
        let outcome = try await store.addGroup(named: name, rule: rule, author: author, now: moment)
        guard case .accepted(let group) = outcome, group.isJudging else { return outcome }
        try await beginJudging()
        return try await store.group(named: name).map { .accepted($0) } ?? .refused(.unknownGroup)
    }

    package func group(named name: String) async throws -> Group? {
        try await store.group(named: name)
    }

    package func groups(_ page: PageRequest) async throws -> Page<Group> {
        try await store.groups(page)
    }

    /// Removes a group that nothing uses any more.
    package func removeGroup(named name: String, author: String) async throws -> AdminRefusal? {
        let refusal = try await store.removeGroup(
            named: name, limit: GroupRuleLimits.forgotten, author: author, now: moment)
        if refusal == nil {
            // Devices may have been in it by its rule.
            contexts.forgetAll()
            judging.begin()
        }
        return refusal
    }
}
