import AppSpecification
package import Foundation
import InputBounds

/// Which devices have a configuration, or would get it.
package enum ConfigurationUse: Sendable, Equatable {
    /// Those whose assignment that counts gives the app, or an extension of it, the configuration of this name.
    case configuration(String)
    /// Those of a group.
    case group(String)
    /// One device, whatever it has.
    case device(String)
}

extension Management {
    /// What an app's specifications say about a configuration that is not kept: a dry run.
    ///
    /// Where it is to have a name, the devices that have the configuration of this name count.
    package func judge(
        _ bytes: Data, of app: String, toBe name: String? = nil
    ) async throws -> Outcome<SpecificationJudgement, AdminRefusal> {
        switch Self.judge(bytes) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged):
            guard try await store.app(app) != nil else { return .refused(.unknownApp) }
            let found = try await judge(judged.root, of: app, for: name.map { .configuration($0) })
            let warnings = found.warnings + Self.foreignVariables(in: judged.root)
            guard let name else { return .accepted(SpecificationJudgement(errors: found.errors, warnings: warnings)) }
            let content = try await defaults(of: judged.root, app: app, configuration: name)
            if let refusal = content.markedRefusal { return .refused(refusal) }
            let secrets = try await secretWarnings(of: app, configuration: name)
            return .accepted(
                SpecificationJudgement(errors: found.errors + content.violations, warnings: warnings + secrets))
        }
    }

    /// What an app's specifications say about a configuration; nothing where there are none.
    func judge(
        _ root: PropertyListValue, of app: String, as part: VersionFindings.Part = .any, for use: ConfigurationUse?
    ) async throws -> SpecificationJudgement {
        let published = try await published(by: app)
        let found = published.map {
            VersionFindings(in: root, as: part, by: $0.specification, of: $0.version)
        }
        let refusing = Set(found.filter { $0.findings.contains { $0.severity == .error } }.map(\.version))
        guard let use, !refusing.isEmpty else { return SpecificationJudgement(of: found) }
        // Only versions that would refuse it are looked for on the devices concerned.
        let choice = SpecificationChoice(published.map(\.version))
        let present = try await store.versions(of: app, limit: FleetLimits.versions).map(\.version)
        let suspects = present.filter { choice.judge(of: $0).map(refusing.contains) ?? false }
        guard !suspects.isEmpty else { return SpecificationJudgement(of: found) }
        let concerned = try await store.versions(of: app, among: suspects, on: use)
        return SpecificationJudgement(
            of: found, devices: Dictionary(grouping: concerned) { choice.judge(of: $0.version) ?? "" })
    }

    /// What an app published, the newest version first; what a later version of the rules refuses says nothing.
    func published(by app: String) async throws -> [(version: String, specification: AppSpecification)] {
        let records = try await store.specifications(of: app).value ?? []
        var read: [(version: String, specification: AppSpecification?)] = []
        for record in records {
            guard let known = specifications.known(record.sha256) else { break }
            read.append((record.version, known))
        }
        if read.count < records.count {
            // All at once: one that is missing is seldom alone.
            read = try await store.specificationDocuments(of: app).map {
                ($0.record.version, specifications.read($0))
            }
        }
        return read.sorted { SpecificationChoice.isNewer($0.version, than: $1.version) }
            .compactMap { one in one.specification.map { (one.version, $0) } }
    }

    /// What versions on a group's devices, or others, would refuse of an assignment, and what else there is to say of it.
    ///
    /// What is concerned has the secrets of other groups, too.
    func judge(
        _ assignment: Assignment, for use: ConfigurationUse? = nil, beside others: Set<String> = []
    ) async throws -> Outcome<SpecificationJudgement, AdminRefusal> {
        var judgements: [SpecificationJudgement] = []
        let given: [(String, VersionFindings.Part)] =
            (assignment.configuration.map { [($0, .app)] } ?? [])
            + assignment.extensions.sorted { $0.key < $1.key }.map { ($0.value, .extension($0.key)) }
        for (name, part) in given {
            guard let document = try await store.configuration(app: assignment.app, name: name, version: nil) else {
                return .refused(.unknownConfiguration)
            }
            guard let root = try? PropertyListValue(parsing: document.bytes, limits: .configuration) else { continue }
            judgements.append(
                try await judge(root, of: assignment.app, as: part, for: use ?? .group(assignment.group)))
        }
        let secrets = try await secretWarnings(for: [assignment], beside: others)
        return .accepted(SpecificationJudgement(ofAssignment: judgements, secrets: secrets))
    }

    /// What the apps of assignments lack, one sentence each.
    ///
    /// What other groups give counts as given by each.
    func secretWarnings(for assignments: [Assignment], beside others: Set<String> = []) async throws -> [String] {
        guard let app = assignments.first?.app,
            let newest = try await published(by: app).first?.specification, newest.asksForSecrets
        else { return [] }
        var given: [SecretSlot] = []
        var page = PageRequest(limit: PageRequest.largest)
        let group = assignments.count == 1 && others.isEmpty ? assignments[0].group : nil
        for _ in 0..<SecretNeeds.mostPages {
            let found = try await store.secretAssignments(SecretAssignmentFilter(group: group, app: app), page)
            given += found.items.map(\.slot)
            guard let next = found.next else { break }
            page = PageRequest(after: next, limit: PageRequest.largest)
        }
        given += assignments.flatMap { assignment in
            given.filter { others.contains($0.group) }.map { $0.given(by: assignment.group) }
        }
        return SecretNeeds(of: newest, in: assignments, given: given).warnings
    }

    /// The same for those that give a configuration of this name.
    func secretWarnings(of app: String, configuration name: String) async throws -> [String] {
        let assignments = try await store.assignments(
            AssignmentFilter(app: app), PageRequest(limit: PageRequest.largest)
        ).items
        return try await secretWarnings(
            for: assignments.filter { $0.configuration == name || $0.extensions.values.contains(name) })
    }
}

extension SpecificationJudgement {
    /// Judges an assignment: only versions on the group's devices can refuse it, because the newest version was checked
    /// when the configuration was set.
    fileprivate init(ofAssignment judgements: [SpecificationJudgement], secrets: [String]) {
        let errors = judgements.flatMap(\.errors)
        self.init(
            errors: errors.filter { !$0.versions.isEmpty },
            warnings: errors.filter(\.versions.isEmpty).map(\.warning) + secrets)
    }
}

extension SecretSlot {
    fileprivate func given(by group: String) -> SecretSlot {
        SecretSlot(group: group, app: app, extension: self.extension, kind: kind, identifier: identifier)
    }
}

extension AppSpecification {
    fileprivate var asksForSecrets: Bool { !secrets.isEmpty || extensions.values.contains { !$0.secrets.isEmpty } }
}
