import AdminMessages
import Foundation

/// What came of a job, as its kind says.
enum JobOutcome {
    private enum Result {
        case verification(AuditVerification)
        case devices(GroupDevicesResult)
        case command(GroupCommandResult)
        /// One of a kind that this page does not know.
        case other(JSON)
    }

    private static func result(of job: Job) -> Result? {
        guard let result = job.result else { return nil }
        func read<Value: Decodable>(_ type: Value.Type = Value.self) -> Value? {
            (try? AdminJSON.encode(result)).flatMap { try? AdminJSON.decode(type, from: $0) }
        }
        switch job.kind {
        case "audit.verification": if let value: AuditVerification = read() { return .verification(value) }
        case "group.devices": if let value: GroupDevicesResult = read() { return .devices(value) }
        case "group.command": if let value: GroupCommandResult = read() { return .command(value) }
        default: break
        }
        return .other(result)
    }

    /// In a few words, for a list.
    static func line(_ job: Job) -> HTML {
        switch result(of: job) {
        case .verification(let found): "\(badge(found).html) \(found.entries) entries"
        case .devices(let result): "\(result.inGroup) in the group, \(result.refused) refused"
        case .command(let result): "queued for \(result.queued), \(result.refused) refused"
        case .other, nil: "\(job.problem ?? "")"
        }
    }

    /// All of it; nothing while there is nothing.
    static func html(_ job: Job) -> HTML? {
        result(of: job).map { result in
            switch result {
            case .verification(let found): verification(found)
            case .devices(let result): devices(result)
            case .command(let result): command(result)
            case .other(let value): text(value)
            }
        }
    }

    private static func badge(_ found: AuditVerification) -> Badge {
        found.intact ? Badge(.good, "Intact") : Badge(.bad, "Broken")
    }

    private static func verification(_ found: AuditVerification) -> HTML {
        Facts.html([
            ("Audit log", badge(found).html), ("Entries that follow", "\(found.entries)"),
            ("First that is kept", "\(found.first)"),
            ("Hash of the newest that follows", found.head.map { Code.html($0) }),
            ("First that does not follow", found.brokenAt.map { "\($0)" }),
            ("Rule that is broken", found.rule.map { "\($0)" }),
        ])
    }

    private static func devices(_ result: GroupDevicesResult) -> HTML {
        let facts = Facts.html([("In the group", "\(result.inGroup)"), ("Refused", "\(result.refused)")])
        return "\(facts)\(refusals(result.refusals))"
    }

    private static func command(_ result: GroupCommandResult) -> HTML {
        let warnings: HTML? = result.warnings.map { sentences in
            let items: [HTML] = sentences.map { "<li>\($0)</li>" }
            return "<ul class=\"list\">\(items)</ul>"
        }
        let facts = Facts.html([
            ("Queued for", result.queued == 1 ? "1 device" : "\(result.queued) devices"),
            ("Refused", "\(result.refused)"), ("To note", warnings),
        ])
        return "\(facts)\(refusals(result.refusals))"
    }

    private static func refusals(_ refusals: [GroupDevicesResult.Refusal]) -> HTML {
        guard !refusals.isEmpty else { return "" }
        return Table(
            caption: "Refused, the first of them", columns: ["Device", "Why"],
            rows: refusals.map { [Link.html($0.device, ["devices", $0.device]), "\($0.reason)"] }
        ).html
    }

    private static func text(_ value: JSON) -> HTML {
        let bytes = (try? AdminJSON.encode(value)) ?? Data()
        return "<pre>\(String(decoding: bytes, as: UTF8.self))</pre>"
    }
}
