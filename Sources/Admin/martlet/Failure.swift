package import AdminMessages
import Foundation

/// With which status the tool ends when it did not do what it was asked.
///
/// Scripts rely on the numbers; wrong usage is 64, ArgumentParser's own.
package enum EndStatus: Int32, Sendable {
    case failed = 1
    case notFound = 3
    case refused = 4
    case notLoggedIn = 5
    case unreachable = 6
}

/// Why the tool did not do what it was asked, and what to do next.
package struct Failure: Error, Sendable, Equatable {
    package let status: EndStatus
    package let reason: String
    package let advice: String?
    /// What the server refused, place by place, for programs; nothing where it only gave a reason.
    package private(set) var findings: [Finding] = []
    /// What the request names and the server does not have.
    private(set) var missing: MissingThing?
    /// Problems whose sentence says itself what to wait for.
    private static let codesThatSayWhen: Set<String> = ["busy", "clock", "throttled"]

    package init(_ status: EndStatus, _ reason: String, advice: String? = nil) {
        self.status = status
        self.reason = reason
        self.advice = advice
    }

    /// What the server's refusal of a request below `/api/v1` means to the administrator.
    ///
    /// - Parameters:
    ///   - problem: the server's answer.
    ///   - status: the status of HTTP that it came with.
    ///   - path: what was requested.
    ///   - members: what the request's query and body name, such as a `group`.
    ///   - isDeletion: whether something was to be removed.
    package init(
        problem: Problem?, status: Int, path: [String] = [], members: [String: String] = [:], isDeletion: Bool = false
    ) {
        let said = Self.sentence(problem, status: status)
        let missing = problem?.missing.map { MissingThing($0, path: path, members: members) }
        let reason = missing?.name.map { Self.sentence(said, about: $0) } ?? said
        let whereToLook = Self.whereToLook(path, problem?.missing)
        switch status {
        case 401 where path.first == "session" && problem?.code != "not-logged-in":
            self.init(.notLoggedIn, reason)
        case 403 where problem?.code == "password-must-change":
            self.init(
                .refused, "the one-time password must be changed first", advice: "Change it: martlet password")
        case 401:
            self.init(.notLoggedIn, "the server does not know this session any more", advice: Self.logInAgain)
        case 404 where problem == nil:
            self.init(
                .unreachable, "there is no martlet-server at this address", advice: "Check the address and the port.")
        case 404 where path.first == "secret-assignments" && !isDeletion:
            self.init(
                .notFound, reason,
                advice: whereToLook + "\nAn app is given to a group first: martlet assign <group> <app>")
        case 404:
            self.init(.notFound, reason, advice: whereToLook)
        case 409 where isDeletion && path.first == "people":
            self.init(
                .refused, reason,
                advice: "martlet person show says which; martlet device person remove takes one from its person.")
        case 409 where isDeletion && path.first == "secrets":
            self.init(
                .refused, reason, advice: "martlet secret show says where; martlet secret unassign takes it away.")
        case 409 where isDeletion && path.first == "settings":
            self.init(
                .refused, reason, advice: "martlet setting unassign takes it from a group; then remove it again.")
        case 409 where isDeletion && ["groups", "apps"].contains(path.first):
            self.init(
                .refused, reason,
                advice: "martlet assignment list and martlet device list show where; "
                    + "martlet unassign and martlet device group remove change it.")
        case 412:
            self.init(.refused, reason, advice: Self.changedMeanwhile)
        case 503 where problem?.code == "damaged":
            // Trying again helps nothing.
            self.init(.failed, reason, advice: Self.damageRemedy)
        case 429, 502, 503, 504:
            let saysWhen = Self.codesThatSayWhen.contains(problem?.code ?? "")
            self.init(.unreachable, reason, advice: saysWhen ? nil : "Try again in a moment.")
        case 400..<500 where problem?.findings?.isEmpty == false:
            let lines = (problem?.findings ?? []).map { finding in
                "  " + (finding.severity == .warning ? "warning: " : "") + Printable.line(finding.sentence)
            }
            self.init(
                .refused, reason, advice: (lines + ["--force sets it nevertheless."]).joined(separator: "\n"))
        case 400..<500:
            self.init(.refused, reason)
        default:
            self.init(.failed, reason, advice: "The server's log says more.")
        }
        findings = problem?.findings ?? []
        self.missing = missing
    }

    /// The whole text for the terminal.
    package var text: String {
        let reason = Printable.line(reason)
        guard let advice else { return "martlet: \(reason)" }
        return "martlet: \(reason)\n\(advice)"
    }

    private static let damageRemedy = """
        On the server's machine, stop the server, look with martlet-server check, and put the last good backup back with \
        martlet-server restore ("Backups" in the administrators' guide).
        """

    private static let changedMeanwhile = "Someone changed it meanwhile. Look at it with show, then set it again."

    /// Whether the server had something else than the request said.
    var isChangedMeanwhile: Bool { advice == Self.changedMeanwhile }

    static let logInAgain = "Log in again: martlet login"

    /// No device has this ID, name or serial number.
    static func noDevice(_ name: String) -> Failure {
        let problem = Problem(title: "There is no such device.", status: 404, missing: .device)
        return Failure(problem: problem, status: 404, path: ["devices", name])
    }

    /// The same failure with the name of the configuration that a request asked for and that there is not.
    package func naming(_ configuration: String?) -> Failure {
        guard let configuration, var missing, missing.kind == .configuration else { return self }
        missing.name = configuration
        var named = Failure(status, Self.sentence(reason, about: configuration), advice: advice)
        named.missing = missing
        return named
    }

    /// The same failure with the name that was probably meant.
    package func suggesting(_ nearest: String) -> Failure {
        Failure(
            status, reason + (reason.hasSuffix(".") ? "" : ".") + " Did you mean \"\(nearest)\"?", advice: advice)
    }

    /// A sentence with the name that it is about.
    private static func sentence(_ sentence: String, about name: String) -> String {
        sentence.hasSuffix(".") ? "\(sentence.dropLast()): \(name)." : "\(sentence): \(name)"
    }

    /// Which list shows what there is instead of what was not found.
    private static func whereToLook(_ path: [String], _ missing: MissingKind?) -> String {
        let lists: [String] =
            switch path.first {
            case "groups": ["group list"]
            case "administrators": ["administrator list"]
            case "tokens": ["token list"]
            case "jobs": ["job list"]
            case "apps" where path.count > 3 && missing == .configurationVersion:
                ["configuration history \(Printable.line(path[1])) \(Printable.line(path[3]))"]
            case "apps" where path.count > 3 && path[2] == "configurations":
                ["app list", "configuration list \(Printable.line(path[1]))"]
            case "apps": ["app list"]
            case "devices" where path.count > 2 && ["groups", "effective"].contains(path[2]):
                ["device list", "group list"]
            case "people" where path.count > 2 && path[2] == "invitation": ["person list", "person invitations"]
            case "people": ["person list"]
            case "devices" where path.count > 2 && path[2] == "person": ["device list", "person list"]
            case "devices" where path.count > 3 && path[2] == "commands":
                ["device commands \(Printable.line(path[1]))"]
            case "devices" where path.count > 2 && path[2] == "apps": ["app list", "device list"]
            case "devices": ["device list"]
            case "assignments" where path.count > 2:
                ["group list", "app list", "configuration list \(Printable.line(path[2]))", "assignment list"]
            case "assignments": ["group list", "app list", "assignment list"]
            case "enrollment-codes": ["group list", "enrollment-code list"]
            case "secrets": ["secret list"]
            case "settings": ["setting kinds", "setting list"]
            case "setting-assignments": ["group list", "setting list", "setting assignments"]
            case "secret-assignments": ["group list", "app list", "assignment list", "secret list"]
            case "webhooks" where missing == .auditEntry: ["audit list"]
            case "webhooks": ["webhook list"]
            default: []
            }
        guard let last = lists.last else { return "The list commands show what there is." }
        let all = lists.dropLast().map { "martlet \($0)" }.joined(separator: ", ")
        return (all.isEmpty ? "" : all + " and ") + "martlet \(last) "
            + (lists.count == 1 ? "shows" : "show") + " what there is."
    }

    /// The failure for the program that asked for JSON: one line on standard error.
    package var json: String {
        let members = [("status", "\(status)"), ("reason", reason), ("advice", advice ?? "")].filter { !$1.isEmpty }
        // Keys: ours.
        let fields = Dictionary(uniqueKeysWithValues: members)
        return (try? AdminJSON.encode(["error": fields])).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    private static func sentence(_ problem: Problem?, status: Int) -> String {
        guard let problem else { return "the server answered with status \(status)" }
        guard let detail = problem.detail, detail != problem.title else { return problem.title }
        return problem.title.hasSuffix(".") ? "\(problem.title) \(detail)" : "\(problem.title): \(detail)"
    }
}
