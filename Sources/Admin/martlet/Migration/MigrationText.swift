package import AdminMessages

/// What a migration finds on devices, as people read it.
package enum MigrationText {
    private static let mostNamed = 5

    /// Why a migration is not finished yet; nothing where the devices of all groups are ready.
    ///
    /// - Parameters:
    ///   - readiness: By group.
    ///   - app: The app's bundle identifier.
    /// - Returns: The failure, which names groups and devices.
    package static func failure(_ readiness: [String: MigrationReadiness], app: String) -> Failure? {
        let behind = readiness.filter { !$0.value.isReady }.sorted { $0.key < $1.key }
        guard !behind.isEmpty else { return nil }
        let lines = behind.map { group, found in
            let parts: [String?] = [
                found.refused.isEmpty ? nil : "refused on \(names(found.refused))",
                found.unread.isEmpty ? nil : "not read yet on \(names(found.unread))",
                found.behind.isEmpty ? nil : "\(found.behind.count) not current yet: \(names(found.behind))",
            ]
            let told = parts.compactMap { $0 }
            return "  \(Printable.line(group)): "
                + (told.isEmpty ? "no device reports it" : told.joined(separator: "; "))
        }
        let app = Printable.line(app)
        return Failure(
            .refused, "not all devices run the framework's configuration; nothing was changed",
            advice: lines.joined(separator: "\n")
                + "\nmartlet app refusals \(app) says why. An app reads it when it runs, and a device is current once "
                + "it has reported on the present configuration. --anyway does not wait for that; --group finishes "
                + "other groups first.")
    }

    /// Refuses a plan if a configuration in it is newer than the version that the administrator saw.
    static func check(
        _ plan: MigrationPlan, _ seen: [String: SeenAssignment], isOf version: Int?
    ) throws(Failure) {
        guard let version else { return }
        for group in plan.steps.map(\.group) {
            guard let name = seen[group]?.assignment.configuration, let newest = seen[group]?.versions[name],
                newest != version
            else { continue }
            throw Failure(
                .refused,
                "the configuration \(Printable.line(name)) of the group \(Printable.line(group)) is of version "
                    + "\(newest) now; nothing was changed",
                advice: "Look at it with martlet app migrate; --group names the groups that have one configuration.")
        }
    }

    private static func names(_ devices: [String]) -> String {
        let named = devices.prefix(mostNamed).map(Printable.line).joined(separator: ", ")
        return devices.count > mostNamed ? "\(named) and \(devices.count - mostNamed) more" : named
    }

    /// One trial on one line, and what to do about a refusal.
    package static func line(_ trial: ConfigurationTrial, configuration: String, device: String) -> String {
        let place = "\(Printable.line(device)), \(Printable.line(configuration)): "
        switch trial.state {
        case .accepted: return place + "decoded"
        case .refused:
            let refusal = trial.refusal
            let facts: [String?] = [
                refusal.map { "code \($0.code)" }, refusal?.message, refusal?.keyPath.map { "key path \($0)" },
                refusal?.explanation?.remedy,
            ]
            return place + "refused: " + facts.compactMap { $0 }.map(Printable.line).joined(separator: "; ")
        case .untried:
            return place + (trial.reason == .notRunning ? "not running" : "not tried: \(trial.reason?.rawValue ?? "")")
        default: return place + "no answer (\(trial.state.rawValue))"
        }
    }

    /// Why a tried configuration is no reason to go on; nothing where an app decoded it and none refused.
    package static func failure(ofTrials trials: [ConfigurationTrial]) -> Failure? {
        let refusing = trials.count { $0.state == .refused }
        guard refusing == 0 else {
            return Failure(
                .refused, "\(refusing) of \(trials.count) apps refuse the configuration; nothing was changed",
                advice: "Correct it with martlet configuration set, whose dry run holds it against what the app "
                    + "publishes; then try again.")
        }
        guard !trials.contains(where: { $0.state == .accepted }) else { return nil }
        return Failure(
            .failed, "no app decoded the configuration on \(trials.count) devices; nothing was changed",
            advice: "Only an app that runs and reads by the framework can say: not a version that reads only its "
                + "dictionary. Open it there, or choose others with --seed and --devices.")
    }
}
