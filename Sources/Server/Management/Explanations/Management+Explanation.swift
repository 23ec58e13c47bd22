import DeviceMessages

extension Management {
    /// As many groups as may be asked about.
    private static let mostGroups = 64

    /// What a device gets and why; or what it would get if it were in exactly these groups.
    ///
    /// Read and compiled for this answer alone: no cached manifest changes.
    package func explain(
        _ id: String, inGroups groups: [String]? = nil
    ) async throws -> Outcome<DeviceExplanation, AdminRefusal> {
        guard let device = try await device(id) else { return .refused(.unknownDevice) }
        if let groups {
            guard groups.count <= Self.mostGroups else {
                return .refused(.invalid(rule: "An explanation takes at most \(Self.mostGroups) groups."))
            }
        }
        let names = groups.map { Set($0).sorted() } ?? device.groups
        var explained: [Group] = []
        for name in names {
            guard let group = try await store.group(named: name) else { return .refused(.unknownGroup) }
            explained.append(group)
        }
        let findings = try await findings(of: id, by: explained)
        let snapshot = try await store.assignmentSnapshot(groups: names)
        let prepared = compiler.prepare(try await Assigned(snapshot, from: store), for: device.audience)
        let sources = try await store.valueSources(of: id, secrets: prepared.needs.secrets.sorted())
        let values = sources.map { DeviceValues($0, needed: prepared.needs) } ?? .none
        let manifest = compiler.compile(prepared, for: values)
        let withheld = Dictionary(grouping: manifest.withheld, by: \.app)
        let candidates = Dictionary(
            grouping: try await store.candidates(inGroups: names), by: \.assignment.app)
        let variables = sources.map { DeviceVariables($0).values } ?? [:]
        let rejected = try await rejectedApps(on: id)
        let reported = try await reportedApps(of: id)
        // What it would get in other groups is not what it reports.
        let lacked = groups == nil ? LackedSecret.all(in: reported) : []
        let states = ReportedAppState.ofApps(
            reported, refusing: try await store.refusals(on: id).map(\.app), rejecting: rejected,
            // What the device would not get in other groups is no state that it is in.
            withholding: groups == nil ? Set(withheld.keys) : [])
        let apps = snapshot.effective.map { entry in
            let app = entry.app.bundleIdentifier
            let source: AppSource? =
                if case .source(let source) = entry.choice(for: device.audience) { source } else { nil }
            let secrets = entry.secrets.map { secret in values.secrets[secret.secret].map(secret.own) ?? secret }
            return ExplainedApp(
                app: entry.app, state: states[app], candidates: candidates[app] ?? [], source: source,
                install: entry.install ?? source?.install ?? .required,
                secrets: secrets.map { secret in
                    ExplainedSecret(
                        place: secret.place, secret: secret.secret, version: secret.version,
                        owner: values.secrets[secret.secret]?.owner, group: snapshot.group(giving: secret, to: app),
                        lacksValue: secret.lacksValue, isMissing: lacked.includes(secret.place.identifier, of: app))
                },
                variables: entry.uses(of: secrets).map { name, uses in
                    ExplainedVariable(name: name, value: variables[name], uses: uses)
                }, withheld: withheld[app] ?? [])
        }
        return .accepted(
            DeviceExplanation(
                device: device, isHypothetical: groups != nil,
                groups: explained.map { group in
                    ExplainedGroup(name: group.name, rule: group.rule, findings: findings[group.name] ?? [])
                }, apps: apps,
                settings: ExplainedSetting.all(of: snapshot.settings, kinds: SettingKind.all, for: device.audience),
                commanded: try await commandedApps(of: id)))
    }
}

extension AssignmentSnapshot {
    /// The group whose assignment a secret is; of all that there are, none has its order twice.
    fileprivate func group(giving secret: SecretReference, to app: String) -> String {
        entries.first { entry in
            entry.app.bundleIdentifier == app
                && entry.secrets.contains { $0.place == secret.place && $0.order == secret.order }
        }?.group ?? ""
    }
}

extension AssignmentSnapshot.Entry {
    /// Which variables stand in what the app gets, by name, and where.
    fileprivate func uses(
        of secrets: [AssignmentSnapshot.SecretReference]
    ) -> [(name: String, uses: [ExplainedVariable.Use])] {
        var uses: [String: [ExplainedVariable.Use]] = [:]
        func add(_ names: [String], _ use: ExplainedVariable.Use) {
            for name in names where uses[name]?.contains(use) != true { uses[name, default: []].append(use) }
        }
        add(configuration?.variables ?? [], .configuration)
        for (name, reference) in extensions.sorted(by: { $0.key < $1.key }) {
            add(reference.variables ?? [], .extensionConfiguration(name))
        }
        for secret in secrets { add(secret.variables, .secret(secret.secret)) }
        return uses.sorted { $0.key < $1.key }.map { (name: $0.key, uses: $0.value) }
    }
}
