import AdminMessages
import Testing
import martlet

/// What `martlet apply` makes of the server's answer to a dry run.
struct ConfigurationFindingsTests {
    private static let place = FleetThing.secretAssignment(
        group: "g", app: "com.example.a", extension: nil, kind: "password", identifier: "wifi")

    /// Red where the finding was read out of the text for people: its suggestion was a part of its message then.
    @Test func anAppsWordIsTheServersFinding() {
        let finding = Finding(path: "wifi", rule: "secretKind", message: "it is a password", suggestion: "Look again.")
        let problem = Problem(title: "The app does not ask for this secret.", status: 422, findings: [finding])
        let found = ConfigurationFindings(thing: Self.place, refusal: Failure(problem: problem, status: 422))
        #expect(found.check.errors == [finding] && !found.isFinal)
    }

    /// Red where such a refusal was taken for none, and the run stopped in its middle.
    @Test func aRefusalWithoutAFindingIsNamedAndIsFinal() {
        let refusal = Failure(problem: Problem(title: "You may not do this.", status: 403), status: 403)
        let found = ConfigurationFindings(thing: Self.place, refusal: refusal)
        #expect(found.check.errors.map(\.sentence) == ["wifi: You may not do this."] && found.isFinal)
    }

    @Test func aRefusedSettingIsNamedAndIsFinal() {
        let refusal = Failure(problem: Problem(title: "It expired.", status: 422), status: 422)
        let found = ConfigurationFindings(thing: .setting(kind: "root-certificate", name: "corp"), refusal: refusal)
        #expect(found.check.errors.map(\.sentence) == ["payload: It expired."] && found.isFinal)
    }
}
