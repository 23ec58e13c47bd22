import AppSpecification

extension Management {
    /// The refusals that stand on a device, by app, each with what its app says about it.
    package func refusals(on device: String) async throws -> [String: [ExplainedRefusal]] {
        let standing = Dictionary(grouping: try await store.refusals(on: device), by: \.app)
        var explained: [String: [ExplainedRefusal]] = [:]
        for (app, refusals) in standing { explained[app] = try await explain(refusals, of: app) }
        return explained
    }

    /// The refusals of an app that stand anywhere, those on most devices first.
    package func refusals(of app: String) async throws -> Outcome<[ExplainedRefusal], AdminRefusal> {
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        return .accepted(try await explain(store.refusals(of: app, limit: FleetLimits.refusals), of: app))
    }

    /// Which versions of an app are on how many devices, and whose specification judges for each.
    package func versions(
        of app: String
    ) async throws -> Outcome<[(count: AppVersionCount, judge: String?)], AdminRefusal> {
        switch try await store.specifications(of: app) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let records):
            let choice = SpecificationChoice(records.map(\.version))
            return .accepted(
                try await store.versions(of: app, limit: FleetLimits.versions)
                    .sorted { SpecificationChoice.precedes($0.version, $1.version) }
                    .map { ($0, choice.judge(of: $0.version)) })
        }
    }

    /// What the app publishes, for the version of it that is on a device, about a code with which it refuses there.
    func explanation(
        of code: Int, by subject: TrialSubject, on device: String
    ) async throws -> RefusalExplanation? {
        let present = try await store.versions(of: subject.app, limit: FleetLimits.versions).map(\.version)
        let version = try await store.versions(of: subject.app, among: present, on: .device(device)).first?.version
        let choice = SpecificationChoice(try await store.specifications(of: subject.app).value?.map(\.version) ?? [])
        var nearest: (version: String, specification: AppSpecification)?
        if let found = choice.nearest(to: version),
            let document = try await store.specification(of: subject.app, version: found)
        {
            nearest = specifications.read(document).map { (found, $0) }
        }
        return RefusalExplanation(of: code, extension: subject.extension, appVersion: version, by: nearest)
    }

    private func explain(_ refusals: [ConfigurationRefusal], of app: String) async throws -> [ExplainedRefusal] {
        guard !refusals.isEmpty else { return [] }
        let choice = SpecificationChoice(try await store.specifications(of: app).value?.map(\.version) ?? [])
        var published: [String: AppSpecification] = [:]
        for version in Set(refusals.compactMap { choice.nearest(to: $0.appVersion) }) {
            published[version] = try await store.specification(of: app, version: version)
                .flatMap { specifications.read($0) }
        }
        let assignments = try await store.assignments(
            AssignmentFilter(app: app), PageRequest(limit: PageRequest.largest)
        ).items
        return refusals.map { refusal in
            ExplainedRefusal(
                refusal: refusal,
                explanation: refusal.code.flatMap { code in
                    RefusalExplanation(
                        of: code, extension: refusal.extension, appVersion: refusal.appVersion,
                        by: choice.nearest(to: refusal.appVersion).flatMap { version in
                            published[version].map { (version, $0) }
                        })
                },
                groups: assignments.filter { $0.gives(refusal) }.map(\.group).sorted())
        }
    }
}

extension RefusalExplanation {
    /// What the nearest specification says of a code: of an extension its own table comes first.
    init?(
        of code: Int, extension name: String?, appVersion: String?,
        by nearest: (version: String, specification: AppSpecification)?
    ) {
        if let (version, specification) = nearest {
            let own = name.flatMap { specification.extensions[$0]?.errors } ?? []
            if let error = (own + specification.errors).first(where: { $0.code == code }) {
                self.error = error
                source = version == appVersion ? .specification(version: version) : .nearest(version: version)
                return
            }
        }
        guard let error = SpecifiedError.standard(code) else { return nil }
        self.error = error
        source = .standard
    }
}

extension Assignment {
    /// Whether its devices are given what was refused.
    fileprivate func gives(_ refusal: ConfigurationRefusal) -> Bool {
        guard let name = refusal.configuration else { return false }
        return (refusal.extension.map { extensions[$0] } ?? configuration) == name
    }
}
