extension Management {
    /// Gives a group a rule, or takes it away: then who is in the group stays there, and is put in and taken out by hand.
    ///
    /// The first devices are judged before this answers, all others by `judgeGroups`.
    package func setGroupRule(
        _ rule: GroupRule?, of name: String, expected: ExpectedVersion = .any, author: String
    ) async throws -> Outcome<Group, AdminRefusal> {
        let outcome = try await store.setGroupRule(rule, of: name, expected: expected, author: author, now: moment)
        guard case .accepted(let group) = outcome, group.isJudging else { return outcome }
        try await beginJudging()
        return try await store.group(named: name).map { .accepted($0) } ?? .refused(.unknownGroup)
    }

    /// Judges the first devices of a rule that was just set, and has the others judged.
    func beginJudging() async throws {
        if let moves = try await store.judgeFleet(limit: GroupRuleLimits.atOnce, now: moment) {
            try await follow(moves)
        }
        judging.begin()
    }

    /// Judges all devices that wait for it, part by part, takes from the others what a change took from many, and empties
    /// groups that were removed.
    ///
    /// Those wait of which something changed, and the fleet where a rule was set. Where it is interrupted, the next one
    /// goes on.
    package func judgeGroups() async throws {
        try await revokeLost(of: .anywhere)
        while !Task.isCancelled, let moves = try await nextMoves() { try await follow(moves) }
        while !Task.isCancelled, try await store.emptyRemoved(limit: GroupRuleLimits.forgotten) {}
    }

    private func nextMoves() async throws -> GroupMoves? {
        if let moves = try await store.judgeDue(of: nil, limit: GroupRuleLimits.batch, now: moment) { return moves }
        return try await store.judgeFleet(limit: GroupRuleLimits.batch, now: moment)
    }

    /// Judges a device of which something changed.
    func judgeDue(_ device: String) async throws {
        guard let moves = try await store.judgeDue(of: device, limit: 1, now: moment) else { return }
        try await follow(moves)
    }

    /// Judges the first of those of which something changed, and has the others judged.
    ///
    /// The change is on disk, and so is the list of devices that wait to be judged. If judging fails, they are judged
    /// later. Until then they stay in their groups and get what the change means there.
    func beginJudgingDue() async {
        do {
            guard let moves = try await store.judgeDue(of: nil, limit: GroupRuleLimits.atOnce, now: moment)
            else { return }
            try await follow(moves)
        } catch {
            // `judgeGroups` throws the same error; its caller logs it and tries again.
        }
        judging.begin()
    }

    /// Applies changed values of a device: judges the device by the rules that use them, and wakes it if it gets
    /// something else.
    ///
    /// If judging fails, the device is judged later, as in `beginJudgingDue`.
    func valuesChanged(of device: String) async throws {
        // Before anything that may fail: the device is not served a manifest with the former values again.
        manifests.forget(device: device)
        do { try await judgeDue(device) } catch { judging.begin() }
        try await reconsider(device)
    }

    /// Wakes devices that are in other groups now and are given something else by it; called after it is on disk.
    func follow(_ moves: GroupMoves) async throws {
        if !moves.lost.isEmpty { manifests.forget(groups: moves.lost) }
        // Forget all of them first: if reconsidering one fails, the others are not served their former manifests.
        for device in moves.devices {
            contexts.forget(device.key)
            manifests.forget(device: device.key)
            wakeHub.moved(device.key, to: device.groups)
            changes.note(Change(.move, device: device.key, groups: device.groups, time: moment))
        }
        for device in moves.devices { try await reconsider(device.key) }
    }

    // MARK: Before a rule is set

    /// Which devices a rule would have in a group: how many of those behind a key, and the first of them.
    ///
    /// Nothing is written. Without a group nobody is in it yet. At most `part` devices are judged, so that nobody waits long
    /// for a large fleet.
    package func preview(
        _ rule: GroupRule, of group: String?, first: Int, after key: String = "",
        part: Int = GroupRuleLimits.previewPart
    ) async throws -> Outcome<GroupPreview, AdminRefusal> {
        if let group, try await store.group(named: group) == nil { return .refused(.unknownGroup) }
        let candidates = try await store.ruleCandidates(for: rule.facts, group: group, after: key, limit: part)
        var preview = GroupPreview()
        for candidate in candidates {
            preview.add(
                candidate.key, isMember: candidate.isMember,
                matches: candidate.facts.map { rule.matches($0) } ?? false, first: first)
        }
        preview.next = candidates.count == part ? candidates.last?.key : nil
        preview.names = try await store.deviceNames(of: preview.shown)
        return .accepted(preview)
    }

    /// Why a device is in groups with rules, or is not.
    func findings(
        of device: String, by groups: [Group]
    ) async throws -> [String: [GroupRuleFinding]] {
        let rules = groups.compactMap { group in group.rule.map { (group.name, $0) } }
        guard !rules.isEmpty else { return [:] }
        let needed = rules.reduce(into: Set<RuleFact>()) { $0.formUnion($1.1.facts) }
        let facts = try await store.ruleFacts(of: device, for: needed) ?? RuleFacts(device: device)
        return rules.reduce(into: [:]) { $0[$1.0] = $1.1.findings(facts) }
    }
}
