import AdminMessages
import AppSpecification
import DeviceMessages
import Foundation
import InputBounds

extension AppMigrate {
    /// What `--show --json` prints.
    private struct Shown: Encodable {
        let app: String
        let assignments: [Assignment]
        let legacy: [LegacyJudgement]
        /// The option that comes next; nothing where no group is given a dictionary.
        let next: MigrationGoal?
    }

    /// What `--try --json` prints of one device.
    private struct Tried: Encodable {
        let device: String
        let configuration: String
        let trial: ConfigurationTrial
    }

    // MARK: Showing

    func show(_ road: MigrationRoad) async throws {
        let assignments = try await road.assignments()
        let published = try await road.published()
        let given = Self.dictionaries(in: assignments)
        var judgements: [LegacyJudgement] = []
        if let fromDevice {
            let root = try await dictionary(on: fromDevice, road, published?.specification)
            let other = try await compared(with: nil, among: assignments, road)
            judgements.append(LegacyJudgement(of: root, from: .device(fromDevice), by: published, against: other))
        } else {
            let versions = try await given.isEmpty ? [:] : road.versions()
            for (name, groups) in given {
                judgements.append(
                    LegacyJudgement(
                        of: try await road.root(name),
                        from: .configuration(name, groups: groups, version: versions[name]), by: published,
                        against: try await compared(with: name, among: assignments, road)))
            }
        }
        let next = MigrationGoal.next(after: assignments)
        let shown = Shown(app: app, assignments: assignments, legacy: judgements, next: next)
        try output.print(shown) {
            let parts = judgements.isEmpty ? ["No group is given the app's configuration as a dictionary."] : []
            return (parts + judgements.map(\.text) + (next.map { [hint($0)] } ?? [])).joined(separator: "\n\n")
        }
    }

    private func hint(_ next: MigrationGoal) -> String {
        let command = "martlet app migrate \(Printable.line(app))"
        return next == .start
            ? "Next: \(command) --try, then \(command) --start"
            : "Next: \(command) --finish, or --back"
    }

    /// The configurations that are delivered as a dictionary, and to whom; both in order.
    private static func dictionaries(in assignments: [Assignment]) -> [(name: String, groups: [String])] {
        let delivered = assignments.filter {
            [Delivery.defaults.rawValue, Delivery.both.rawValue].contains($0.delivery ?? "")
        }
        return Dictionary(grouping: delivered) { $0.configuration ?? "" }.filter { !$0.key.isEmpty }
            .map { (name: $0.key, groups: $0.value.map(\.group).sorted()) }.sorted { $0.name < $1.name }
    }

    private func compared(
        with name: String?, among assignments: [Assignment], _ road: MigrationRoad
    ) async throws -> (name: String, root: PropertyListValue)? {
        let byFramework = assignments.filter { $0.delivery == nil }.compactMap(\.configuration)
        guard let other = against ?? byFramework.filter({ $0 != name }).min() else { return nil }
        return (other, try await road.root(other))
    }

    /// What a device answers; what its texts mean says the app's specification.
    private func dictionary(
        on device: String, _ road: MigrationRoad, _ specification: AppSpecification?
    ) async throws -> PropertyListValue {
        let exchange = CommandExchange(device: try await road.server.device(named: device), server: road.server)
        let question = AppQuery(.configuration, identifiers: [app]).request
        let detail = try await exchange.answer(toQueued: exchange.queue(question), within: timeout)
        guard let given = CommandedAppText.configuration(of: app, in: detail.answer) else {
            throw Failure(
                .notFound, "the device has no configuration of the app by command",
                advice: "martlet device app list \(Printable.line(device)) shows what it has by command.")
        }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: AdminJSON.encode(given), limits: .configuration)
        } catch let refusal as InputRefusal {
            throw Failure(.failed, "the device's dictionary cannot be read: \(refusal.rule)")
        }
        if let read = try? specification?.configuration.propertyList(value) { return read }
        return try PropertyListFromJSON.convert(value)
    }

    // MARK: Trying

    func attempt(_ road: MigrationRoad) async throws {
        let given = Self.dictionaries(in: try await road.assignments())
        guard !given.isEmpty else {
            throw Failure(
                .refused, "no group is given the app's configuration as a dictionary; there is nothing to try",
                advice: "martlet configuration try has a file decoded on one device.")
        }
        var random = SeededSource(seed: seed)
        var begun: [(exchange: TrialExchange, configuration: String, trial: ConfigurationTrial)] = []
        for (name, groups) in given {
            var candidates: [String] = []
            for group in groups { candidates += try await road.devices(of: group) }
            let bytes = try await road.document(name)
            for device in MigrationSample.choose(devices, of: candidates, using: &random) {
                let exchange = TrialExchange(app: app, device: device, timeout: timeout, server: road.server)
                begun.append((exchange, name, try await exchange.begin(bytes)))
            }
        }
        var tried: [Tried] = []
        for one in begun {
            tried.append(
                Tried(
                    device: one.exchange.device, configuration: one.configuration,
                    trial: try await one.exchange.outcome(of: one.trial)))
        }
        try output.print(tried) {
            tried.map { MigrationText.line($0.trial, configuration: $0.configuration, device: $0.device) }
                .joined(separator: "\n")
        }
        if let failure = MigrationText.failure(ofTrials: tried.map(\.trial)) { throw failure }
    }
}
