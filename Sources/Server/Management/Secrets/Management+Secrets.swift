import Foundation

extension Management {
    /// Gives a secret a value: its first, or a new version that replaces the one before.
    ///
    /// The value is judged and sealed here; from then on it only goes to devices. The marker is shown with it.
    package func setSecret(
        _ name: String, to value: SecretValue, marker: String? = nil, expected: ExpectedVersion = .any, author: String
    ) async throws -> Outcome<Secret, AdminRefusal> {
        guard Names.isSuitable(name) else {
            return .refused(
                .invalid(rule: "A secret's name is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        guard marker.map(Names.isSuitable) ?? true else {
            return .refused(
                .invalid(rule: "A secret's marker is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        var check: SecretCheck
        do { check = try SecretCheck(value) } catch { return .refused(error) }
        check.description.marker = marker
        let bytes = try JSONEncoder().encode(check.value)
        do {
            return try await put(name, check, bytes, expected: expected, author: author)
        } catch is MasterKeyReplaced {
            // Another process has begun to wrap under a newer key.
            try masterKeys.reload()
            return try await put(name, check, bytes, expected: expected, author: author)
        }
    }

    private func put(
        _ name: String, _ check: SecretCheck, _ bytes: Data, expected: ExpectedVersion, author: String
    ) async throws -> Outcome<Secret, AdminRefusal> {
        let keys = masterKeys.present
        let draft = SecretDraft(
            name: name, kind: check.value.kind, description: check.description, author: author, now: moment,
            seal: { version in try keys.seal(bytes, secret: name, version: version) })
        return try await store.putSecret(draft, expected: expected, keeping: SecretLimits.versions).map { changed in
            announce(changed.groups)
            return changed.value
        }
    }

    package func secret(named name: String) async throws -> Secret? {
        try await store.secret(named: name)
    }

    package func secrets(_ page: PageRequest) async throws -> Page<Secret> {
        try await store.secrets(page)
    }

    /// The kept versions, newest first; of old ones only what may be shown is kept.
    package func secretVersions(
        of name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<SecretVersion>, AdminRefusal> {
        try await store.secretVersions(of: name, page)
    }

    /// Removes a secret that is assigned nowhere.
    package func removeSecret(
        named name: String, expected: ExpectedVersion = .any, author: String
    ) async throws -> AdminRefusal? {
        try await store.removeSecret(named: name, expected: expected, author: author, now: moment)
    }

    /// Lets an app of a group's devices, or an extension of it, find a secret under an identifier.
    ///
    /// One for which the app does not ask, by what it published, is refused unless that is forced not to count.
    package func assignSecret(
        _ name: String, to slot: SecretSlot, isForced: Bool = false, author: String
    ) async throws -> Outcome<SecretAssignment, AdminRefusal> {
        let refusal = try await isForced ? slot.refusal : judgeSecret(in: slot)
        if let refusal {
            // What is not there is said before what the app asks for in it: --force would not help.
            if try await store.group(named: slot.group) == nil { return .refused(.unknownGroup) }
            if try await store.app(slot.app) == nil { return .refused(.unknownApp) }
            if try await store.secret(named: name) == nil { return .refused(.unknownSecret) }
            return .refused(refusal)
        }
        try await revokeLost(of: .secret(name))
        return try await store.assignSecret(name, to: slot, author: author, now: moment).map { changed in
            announce(changed.groups)
            judging.begin()
            return changed.value
        }
    }

    /// Why a secret would be refused in its place whatever its value: a dry run.
    package func judgeSecret(in slot: SecretSlot) async throws -> AdminRefusal? {
        if let refusal = slot.refusal { return refusal }
        return try await mismatch(of: slot).map(AdminRefusal.secretNotAsked)
    }

    /// Withdraws a secret from its place.
    ///
    /// Where the certificates of many devices are revoked by it, those of the first are before this answers.
    package func unassignSecret(from slot: SecretSlot, author: String) async throws -> AdminRefusal? {
        switch try await store.unassignSecret(from: slot, author: author, now: moment) {
        case .accepted(let changed):
            announce(changed.groups)
            judging.begin()
            return nil
        case .refused(let refusal): return refusal
        }
    }

    /// Ends what a change began that took secrets from many devices.
    ///
    /// Called before any of them is given such a secret again: what was taken from a device is not left to it.
    func revokeLost(of place: LossPlace) async throws {
        while let groups = try await store.revokeLost(of: place, limit: SecretLimits.revokedPart, now: moment) {
            if !groups.isEmpty { manifests.forget(groups: groups) }
            // A client that disconnects meanwhile assigns nothing.
            try Task.checkCancellation()
        }
    }

    package func secretAssignments(
        _ filter: SecretAssignmentFilter = SecretAssignmentFilter(), _ page: PageRequest
    ) async throws -> Page<SecretAssignment> {
        try await store.secretAssignments(filter, page)
    }
}
