extension Management {
    /// What the apps on a device would refuse of what a group gives them, and what they would lack then.
    ///
    /// Only those of the group's assignments that would count on the device are judged; one that is in the group already
    /// is given nothing new.
    func judge(_ device: Device, joining group: String) async throws -> SpecificationJudgement {
        guard !device.groups.contains(group) else { return .nothing }
        let candidates = try await store.candidates(inGroups: device.groups + [group]).map(\.assignment)
        var (errors, warnings): ([ConfigurationViolation], [String]) = ([], [])
        for (app, assignments) in Dictionary(grouping: candidates, by: \.app).sorted(by: { $0.key < $1.key }) {
            guard let counting = assignments.first, counting.group == group else { continue }
            let others = Set(assignments.dropFirst().map(\.group))
            // A configuration that was removed meanwhile is given to nobody.
            guard let found = try await judge(counting, for: .device(device.id), beside: others).value else { continue }
            errors += found.errors.map { $0.of(app) }
            warnings += found.warnings.map { "\(app): \($0)" }
        }
        return SpecificationJudgement(errors: errors, warnings: warnings)
    }
}
