import AdminMessages
import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import NIOHTTP1

/// Speaks with a server about the things of a plan.
struct FleetClient {
    let server: Server
    let wish: FleetWish
    let directory: URL
    /// Whether configurations are set, and secrets assigned, that the app would refuse.
    let isForced: Bool

    /// What is to be done, each change bound to what the server has at this moment.
    func plan(prune: Bool) async throws -> Plan {
        let fleet = try await ServerFleet.read(server, for: wish)
        let state = try await fleet.state(comparedWith: wish) { thing in
            let answer = try await server.send(.get, FleetCall.path(of: thing))
            return try PropertyListValue(parsing: answer.body, limits: .configuration)
        }
        var plan = Plan(from: state, to: try await wishAsKept(beside: state), prune: prune)
        for step in plan.steps where step.change != .create && step.tag == nil {
            if let tag = try await tag(of: step.thing, expecting: state[step.thing]) { plan.hold(step.thing, by: tag) }
        }
        return plan
    }

    /// The wish with rules of groups as the server would keep them: one rule can be written in many ways.
    private func wishAsKept(beside state: FleetState) async throws -> FleetWish {
        var wish = wish
        for (thing, item) in wish.items {
            guard case .groupRule(let group) = thing, state[.group(group)] != nil, state[thing]?.facts != item.facts
            else { continue }
            let kept: GroupRuleDetail = try await server.send(
                .put, FleetCall.path(of: thing), query: [("dryRun", "true")],
                body: .init(bytes: wish.bodies[thing] ?? Data(), mediaType: "application/json")
            ).decoded()
            wish.items[thing] = FleetItem(GroupEntry.facts(ofRule: kept.rule), needs: item.needs)
        }
        return wish
    }

    /// By which word the server knows what it has; what is another already by now is no base for a plan.
    private func tag(of thing: FleetThing, expecting item: FleetItem?) async throws -> String? {
        // A certificate is what it is: there is nothing in between to be seen.
        if thing.kind == .team { return nil }
        let answer = try await server.send(.get, FleetCall.path(of: thing), query: FleetCall.query(of: thing))
        guard let facts = try FleetCall.facts(of: thing, in: answer), facts == item?.facts,
            let tag = answer.headers.first(name: "ETag")
        else { throw Self.changed(thing) }
        return tag
    }

    /// Does one step, which holds only if nobody did anything to the same thing since the plan was made.
    func perform(_ step: Plan.Step) async throws {
        let thing = step.thing
        do {
            if step.change == .create, FleetCall.method(for: thing) == .put {
                try await perform(step, [("If-None-Match", "*")])
            } else if let version = Self.version(in: step.tag) {
                try await server.holding(to: version, at: FleetCall.path(of: thing)) { try await perform(step, $0) }
            } else {
                try await perform(step, step.tag.map { [("If-Match", $0)] } ?? [])
            }
        } catch let failure as Failure where failure.isChangedMeanwhile {
            throw Self.changed(thing)
        }
    }

    private func perform(_ step: Plan.Step, _ condition: [(String, String)]) async throws {
        let thing = step.thing
        guard step.change == .remove else { return try await make(thing, condition) }
        _ = try await server.send(
            .delete, FleetCall.path(of: thing), query: FleetCall.query(of: thing), headers: condition)
    }

    /// The version in a tag that holds nothing but the version's number, such as the tags in lists.
    private static func version(in tag: String?) -> Int? {
        guard let tag, tag.hasPrefix("\"v"), tag.hasSuffix("\"") else { return nil }
        return Int(tag.dropFirst(2).dropLast())
    }

    private func make(_ thing: FleetThing, _ condition: [(String, String)]) async throws {
        var query = FleetCall.query(of: thing)
        if isForced, [.configuration, .assignment, .secretAssignment].contains(thing.kind) {
            query.append(("force", "true"))
        }
        let bytes: Data
        if case .secret(let name) = thing, let entry = wish.secrets[name] {
            // Fetched for this one request, and kept no longer.
            bytes = try AdminJSON.encode(try entry.request(directory))
            if let marker = entry.marker { query.append(("marker", marker)) }
        } else {
            bytes = wish.bodies[thing] ?? Data()
        }
        let body = Server.Body(
            bytes: bytes,
            mediaType: thing.kind == .configuration ? "application/x-plist" : "application/json")
        let path = FleetCall.method(for: thing) == .post ? FleetCall.collection(of: thing) : FleetCall.path(of: thing)
        _ = try await server.send(
            FleetCall.method(for: thing), path, query: query, body: body, headers: condition)
    }

    static func changed(_ thing: FleetThing) -> Failure {
        Failure(
            .refused, "somebody changed the \(thing) since the plan was made; it was left as it is now",
            advice: "Run the command again: it makes a new plan, and what was done already is not done twice.")
    }

    // MARK: Before anything is changed

    /// What apps would refuse of the configurations that are to be set and of the secrets that are to be assigned, what
    /// the server would refuse of the settings, and which values would come into user defaults that look like secrets.
    func findings(in plan: Plan) async throws -> [ConfigurationFindings] {
        var all: [ConfigurationFindings] = []
        for step in plan.steps where step.change != .remove {
            if step.thing.kind == .setting, let bytes = wish.bodies[step.thing] {
                all.append(try await trial(ofSetting: step.thing, bytes))
                continue
            }
            if case .secretAssignment(_, let app, _, _, _) = step.thing,
                let bytes = wish.bodies[step.thing], !changesWhatIsAsked(of: app, plan)
            {
                if let refused = try await refusal(ofSecretAt: step.thing, bytes) { all.append(refused) }
                continue
            }
            let suspects = wish.suspectedSecrets(by: step)
            if case .assignment(_, let app) = step.thing, !suspects.isEmpty,
                !setsConfiguration(of: step.thing, app, plan)
            {
                all.append(
                    ConfigurationFindings(
                        thing: step.thing, check: ConfigurationCheck(errors: suspects, warnings: [])))
            }
            guard case .configuration(let app, let name) = step.thing, let bytes = wish.bodies[step.thing] else {
                continue
            }
            let isJudgedHere = plan.steps.contains { other in
                other.thing == .app(app) && other.change == .create
                    || other.thing.kind == .specification && other.thing.app == app
            }
            let check =
                try isJudgedHere
                ? judgement(of: step.thing, app) : await serverCheck(of: bytes, app: app, name: name)
            // The server itself names those in a configuration that is delivered as user defaults already.
            let errors = check.errors + suspects.filter { !check.errors.contains($0) }
            all.append(
                ConfigurationFindings(
                    thing: step.thing, check: ConfigurationCheck(errors: errors, warnings: check.warnings)))
        }
        return all
    }

    /// Whether the plan sets the configuration that an assignment gives: then its findings are that step's.
    private func setsConfiguration(of assignment: FleetThing, _ app: String, _ plan: Plan) -> Bool {
        guard let name = wish.items[assignment]?.facts["configuration"]?.string else { return false }
        return plan.steps.contains { $0.thing == .configuration(app: app, name: name) && $0.change != .remove }
    }

    private func serverCheck(of bytes: Data, app: String, name: String) async throws -> ConfigurationCheck {
        try await server.send(
            .post, ["apps", app, "configuration-check"], query: [("configuration", name)],
            body: .init(bytes: bytes, mediaType: "application/x-plist")
        ).decoded()
    }

    /// What the server says of a setting, and keeps nothing.
    private func trial(ofSetting thing: FleetThing, _ bytes: Data) async throws -> ConfigurationFindings {
        do {
            let told: Setting = try await server.send(
                .put, FleetCall.path(of: thing), query: [("dryRun", "true")],
                body: .init(bytes: bytes, mediaType: "application/json")
            ).decoded()
            return ConfigurationFindings(
                thing: thing, check: ConfigurationCheck(errors: [], warnings: told.warnings ?? []))
        } catch let failure as Failure where [.refused, .notFound].contains(failure.status) {
            return ConfigurationFindings(thing: thing, refusal: failure)
        }
    }

    /// Whether the plan may change for which secrets an app asks: then the server can only say it afterwards.
    private func changesWhatIsAsked(of app: String, _ plan: Plan) -> Bool {
        plan.steps.contains { [.specification, .configuration].contains($0.thing.kind) && $0.thing.app == app }
    }

    /// Why the server would refuse a secret in its place, of which it keeps nothing; nothing where it would not.
    private func refusal(ofSecretAt thing: FleetThing, _ bytes: Data) async throws -> ConfigurationFindings? {
        do {
            _ = try await server.send(
                .put, FleetCall.path(of: thing), query: FleetCall.query(of: thing) + [("dryRun", "true")],
                body: .init(bytes: bytes, mediaType: "application/json"))
            return nil
        } catch let failure as Failure where failure.status == .refused {
            return ConfigurationFindings(thing: thing, refusal: failure)
        }
    }

    /// By the newest specification of the directory, which the server will know by then.
    private func judgement(of thing: FleetThing, _ app: String) throws -> ConfigurationCheck {
        let versions = wish.items.keys.compactMap { other -> (String, FleetThing)? in
            guard case .specification(app, let version) = other else { return nil }
            return (version, other)
        }.sorted { $0.0.compare($1.0, options: .numeric) == .orderedAscending }
        guard let newest = versions.last?.1, let document = wish.bodies[newest], let item = wish.items[thing] else {
            return ConfigurationCheck(errors: [], warnings: [])
        }
        let found = try AppSpecification(parsing: document).findings(in: item.facts)
        let errors = found.filter { $0.severity == .error }.map {
            Finding(path: $0.path.description, rule: $0.rule, message: $0.message, suggestion: $0.suggestion)
        }
        return ConfigurationCheck(
            errors: errors, warnings: found.filter { $0.severity != .error }.map(\.description))
    }

    /// The values that are to be sent and are not where the directory says.
    func missingValues(in plan: Plan) -> [String] {
        plan.steps.filter { $0.change != .remove }.compactMap { step in
            guard case .secret(let name) = step.thing, let entry = wish.secrets[name] else { return nil }
            guard entry.from != nil else { return "\(step.thing): it is not said where its value is: from" }
            let missing = entry.references.first { !$0.isThere(beside: directory) }
            return missing.map { "\(step.thing): \($0.text) is not there" }
        }
    }
}
