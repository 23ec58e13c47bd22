package import DeviceMessages

extension Management {
    /// So often a change is made on what others changed meanwhile.
    private static let mostMerges = 16

    /// Makes the devices of a group run an app, with one of its configurations or none, and the same for its extensions.
    ///
    /// What is not said is nothing from then on. What versions on these devices would refuse, and values that look like
    /// secrets and would come into a defaults dictionary, are not assigned, unless that is forced. A dry run assigns
    /// nothing.
    package func assign(
        app: String, configuration: String?, extensions: [String: String] = [:], lowestTrust: AppTrust = .launched,
        install: AppSource.Install? = nil, priority: Int = 0, delivery: Assignment.Delivery = .framework,
        to group: String, isForced: Bool = false, isDryRun: Bool = false, expected: ExpectedAssignment = .any,
        author: String
    ) async throws -> Outcome<MadeAssignment, AdminRefusal> {
        let wanted = Assignment(
            group: group, app: app, configuration: configuration, extensions: extensions, lowestTrust: lowestTrust,
            install: install, priority: priority, delivery: delivery, assigned: moment, order: 0)
        if let refusal = wanted.brokenRule { return .refused(refusal) }
        return try await make(
            AssignmentWish(wanted, expected: expected, keepsPlace: false), of: wanted, isForced: isForced,
            isDryRun: isDryRun, author: author)
    }

    /// Changes an assignment in what is mentioned, or makes it where there is none; judged as `assign` judges.
    ///
    /// The store writes it only if the assignment is still the one that it was merged with. If somebody else changed that
    /// meanwhile, and `expected` is `.any`, it is merged with their change and tried again, so that neither is lost.
    package func amend(
        _ amendment: AssignmentAmendment, isForced: Bool = false, isDryRun: Bool = false,
        expected: ExpectedAssignment = .any, author: String
    ) async throws -> Outcome<MadeAssignment, AdminRefusal> {
        var left = Self.mostMerges
        while true {
            let present = try await store.assignment(app: amendment.app, group: amendment.group)
            let amended: AmendedAssignment
            switch AmendedAssignment.decide(amendment, knowing: present, expected: expected, at: moment) {
            case .refused(let refusal): return .refused(refusal)
            case .accepted(let decided): amended = decided
            }
            let seen: ExpectedAssignment = if let present { .present(present) } else { .absent }
            // A change that changes nothing is judged but not written, so that no device is woken for it.
            let made = try await make(
                AssignmentWish(amended.wanted, expected: seen, keepsPlace: true), of: amended.wanted,
                isForced: isForced, isDryRun: isDryRun || amended.changesNothing, author: author)
            left -= 1
            if left > 0, expected == .any, made.refusal?.kind == .precondition { continue }
            return made.map { made in
                MadeAssignment(assignment: made.assignment, warnings: made.warnings, changed: amended.changed)
            }
        }
    }

    private func make(
        _ wish: AssignmentWish, of wanted: Assignment, isForced: Bool, isDryRun: Bool, author: String
    ) async throws -> Outcome<MadeAssignment, AdminRefusal> {
        guard try await store.group(named: wanted.group) != nil else { return .refused(.unknownGroup) }
        guard try await store.app(wanted.app) != nil else { return .refused(.unknownApp) }
        let judgement: SpecificationJudgement
        switch try await judge(wanted) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let found): judgement = found
        }
        let content: DefaultsContent
        switch try await defaults(by: wanted) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let found): content = found
        }
        let isPresent = content.suspected.isEmpty ? false : try await isDelivered(by: wanted)
        let refused =
            isDryRun
            ? content.refusal(beside: judgement.errors, isForced: isForced, isPresent: isPresent)
            : refusal(of: content, beside: judgement.errors, isForced: isForced, isPresent: isPresent)
        if let refused { return .refused(refused) }
        let warnings = judgement.errors.map(\.warning) + judgement.warnings + content.warnings
        if isDryRun { return .accepted(MadeAssignment(assignment: wanted, warnings: warnings)) }
        try await revokeLost(of: .app(wanted.app))
        var wish = wish
        if !isPresent { wish.suspectedSecrets = content.named }
        return try await store.assign(wish, author: author, now: moment).map { changed in
            announce(changed.groups)
            judging.begin()
            return MadeAssignment(assignment: changed.value, warnings: warnings)
        }
    }

    package func unassign(
        app: String, from group: String, expected: ExpectedAssignment = .any, author: String
    ) async throws -> AdminRefusal? {
        switch try await store.unassign(app: app, from: group, expected: expected, author: author, now: moment) {
        case .accepted(let changed):
            announce(changed.groups)
            judging.begin()
            return nil
        case .refused(let refusal): return refusal
        }
    }

    package func assignment(app: String, group: String) async throws -> Assignment? {
        try await store.assignment(app: app, group: group)
    }

    /// What decides what a device of these groups gets: all assignments to them, those of an app together, the one that
    /// counts first.
    package func candidates(inGroups groups: [String]) async throws -> [AssignmentCandidate] {
        try await store.candidates(inGroups: groups)
    }

    package func assignments(
        _ filter: AssignmentFilter = AssignmentFilter(), _ page: PageRequest
    ) async throws -> Page<Assignment> {
        try await store.assignments(filter, page)
    }

    /// Forgets the values of these devices, and wakes those whose manifests need what changed.
    ///
    /// Called after the change is on disk.
    func announce(_ devices: [ConcernedDevice], where concerns: (ManifestNeeds) -> Bool) async throws {
        for device in devices {
            manifests.forget(device: device.key)
            guard wakeHub.reaches(device.key) else { continue }
            if try await concerns(needs(of: device.groups)) { wakeHub.wake(device.key) }
        }
    }

    /// Forgets a device's values, and wakes it if its manifest is another now.
    ///
    /// Nothing is read for a device that is not there to be woken: of a large fleet these may be most.
    func reconsider(_ device: String) async throws {
        manifests.forget(device: device)
        guard wakeHub.reaches(device) else { return }
        guard let context = try await context(device), try await isBehind(context) else { return }
        wakeHub.wake(device)
    }

    /// Forgets the manifests of these groups and wakes their devices.
    ///
    /// Called after the change is on disk.
    func announce(_ groups: [String]) {
        guard !groups.isEmpty else { return }
        manifests.forget(groups: groups)
        wakeHub.changed(groups: groups)
    }
}
