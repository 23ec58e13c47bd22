package import AdminMessages

/// What apps' specifications find in one configuration or in a secret's place, or the server in one setting.
package struct ConfigurationFindings: Sendable {
    package let thing: FleetThing
    package let check: ConfigurationCheck
    /// Whether the server would refuse it with `--force`, too.
    package let isFinal: Bool

    package init(thing: FleetThing, check: ConfigurationCheck) {
        (self.thing, self.check, isFinal) = (thing, check, false)
    }

    /// What the server's answer to a dry run says against a thing.
    ///
    /// - Parameters:
    ///   - thing: What was tried.
    ///   - failure: The refusal. What it finds is an app's word, against which `--force` helps; where it finds nothing in
    ///     particular its reason is the finding, and the server's own.
    package init(thing: FleetThing, refusal failure: Failure) {
        self.thing = thing
        isFinal = failure.findings.isEmpty
        let reason = Finding(path: Self.path(of: thing), rule: Self.rule(of: thing), message: failure.reason)
        check = ConfigurationCheck(errors: isFinal ? [reason] : failure.findings, warnings: [])
    }

    private static func path(of thing: FleetThing) -> String {
        switch thing {
        case .setting: "payload"
        case .secretAssignment(_, _, _, _, let identifier): identifier
        default: ""
        }
    }

    private static func rule(of thing: FleetThing) -> String {
        switch thing.kind {
        case .setting: "kind"
        case .secretAssignment: "secret"
        default: "refusal"
        }
    }
}
