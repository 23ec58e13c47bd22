import AdminMessages
import Foundation
import Testing
import martlet

struct FailureTests {
    @Test(arguments: [
        (400, EndStatus.refused), (401, .notLoggedIn), (403, .refused), (404, .unreachable), (409, .refused),
        (412, .refused), (413, .refused), (422, .refused), (429, .unreachable), (500, .failed), (503, .unreachable),
    ])
    func everyAnswerHasItsEndStatus(status: Int, expected: EndStatus) {
        #expect(Failure(problem: nil, status: status).status == expected)
    }

    /// Red where who had to wait read two different times.
    @Test func aReasonThatSaysWhenToTryAgainIsSaidOnce() {
        let reason = "Too many failed log-ins. Try again in 1 second."
        let problem = Problem(type: Problem.type(of: "throttled"), title: reason, status: 429)
        let failure = Failure(problem: problem, status: 429, path: ["session"])
        #expect(failure.text == "martlet: \(reason)")
        let late = Problem(type: Problem.type(of: "turn-is-late"), title: "It takes too long", status: 503)
        #expect(Failure(problem: late, status: 503).advice == "Try again in a moment.")
        #expect(Failure(problem: nil, status: 503).advice == "Try again in a moment.")
    }

    /// Red where it was "Try again in a moment.", as if the server were out of reach.
    @Test func aDamagedDatabaseIsToBeRestored() throws {
        let problem = Problem(type: Problem.type(of: "damaged"), title: "Its database is damaged", status: 503)
        let failure = Failure(problem: problem, status: 503, path: ["health"])
        #expect(failure.status == .failed && failure.reason == "Its database is damaged")
        let advice = try #require(failure.advice)
        #expect(advice.contains("martlet-server check") && advice.contains("martlet-server restore"), "\(advice)")
        #expect(!advice.contains("Try again"))
    }

    /// Red where a certificate that has ended, or has not begun, was taken for one of another authority.
    @Test func aCertificateOutOfItsTimeIsNamedAsTheReason() throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        func refusal(_ begin: TimeInterval, _ end: TimeInterval) -> Failure? {
            ShownValidity(begin: now + begin, end: now + end).refusal(of: "https://a", now: now)
        }
        let ended = try #require(refusal(-100, -1))
        #expect(ended.status == .unreachable && ended.reason.hasSuffix("has ended, on 2023-11-14T22:13:19Z"))
        let early = try #require(refusal(1, 100))
        #expect(early.status == .unreachable && early.reason.hasSuffix("not valid before 2023-11-14T22:13:21Z"))
        #expect(refusal(-1, 1) == nil)
    }

    @Test func theEndStatusesAreThoseScriptsRelyOn() {
        let numbers: [EndStatus: Int32] = [.failed: 1, .notFound: 3, .refused: 4, .notLoggedIn: 5, .unreachable: 6]
        for (status, number) in numbers { #expect(status.rawValue == number) }
    }

    @Test(arguments: [
        (["groups", "x"], "martlet group list shows what there is."),
        (["devices", "x"], "martlet device list shows what there is."),
        (["people", "x"], "martlet person list shows what there is."),
        (["webhooks", "x"], "martlet webhook list shows what there is."),
        (["administrators", "x"], "martlet administrator list shows what there is."),
        (["tokens", "x"], "martlet token list shows what there is."),
        (["people", "x", "invitation"], "martlet person list and martlet person invitations show what there is."),
        (["devices", "x", "person"], "martlet device list and martlet person list show what there is."),
        (["devices", "x", "groups", "y"], "martlet device list and martlet group list show what there is."),
        (["devices", "x", "effective"], "martlet device list and martlet group list show what there is."),
        (
            ["apps", "a", "configurations", "c"],
            "martlet app list and martlet configuration list a show what there is."
        ),
        (
            ["assignments", "g", "a"],
            """
            martlet group list, martlet app list, martlet configuration list a and martlet assignment list show what \
            there is.
            """
        ),
        ([], "The list commands show what there is."),
    ])
    func saysTheServersReasonAndWhatToDo(path: [String], advice: String) {
        let problem = Problem(title: "There is no such thing.", status: 404)
        #expect(
            Failure(problem: problem, status: 404, path: path).text == "martlet: There is no such thing.\n\(advice)")
    }

    private static let missingNames: [([String], MissingKind, String?)] = [
        (["groups", "teacher"], .group, "teacher"),
        (["devices", "d", "groups", "teacher"], .group, "teacher"),
        (["assignments", "teacher", "a"], .group, "teacher"),
        (["assignments", "g", "com.example.a"], .app, "com.example.a"),
        (["setting-assignments", "g", "login-message", "m"], .group, "g"),
        (["apps", "a", "configurations", "defalt"], .configuration, "defalt"),
        (["apps", "a", "configurations", "default", "versions", "9"], .configurationVersion, "9"),
        (["webhooks", "ticket", "deliveries"], .webhook, "ticket"),
        (["settings", "login-mesage", "m"], .settingKind, "login-mesage"),
        (["setting-assignments", "g", "login-message", "m"], .setting, "m"),
        (["groups", "groups"], .group, "groups"),
        (["groups"], .group, nil),
        (["devices", "d", "person"], .person, nil),
    ]

    /// Red where a command with three names did not say which of them there is not.
    @Test(arguments: missingNames)
    func theNameThatThereIsNotIsSaid(path: [String], missing: MissingKind, name: String?) {
        let problem = Problem(title: "It is not there.", status: 404, missing: missing)
        let sentence = "It is not there" + (name.map { ": \($0)" } ?? "") + "."
        #expect(Failure(problem: problem, status: 404, path: path).reason == sentence)
    }

    /// Red where only names in the path were said, so that `enrollment-code create --group` said none.
    @Test func theNameInTheBodyIsSaidWhereThePathHasNone() {
        func reason(_ kind: MissingKind, _ members: [String: String], path: [String] = ["enrollment-codes"]) -> String {
            let problem = Problem(title: "It is not there.", status: 404, missing: kind)
            return Failure(problem: problem, status: 404, path: path, members: members).reason
        }
        let members = ["group": "teacher", "replaces": "d1"]
        #expect(reason(.group, members) == "It is not there: teacher.")
        #expect(reason(.device, members) == "It is not there: d1.")
        #expect(reason(.app, members) == "It is not there.")
        #expect(reason(.group, members, path: ["groups", "pupils"]) == "It is not there: pupils.")
    }

    @Test func theNearestNameIsPartOfTheReason() {
        let problem = Problem(title: "There is no such group.", status: 404, missing: .group)
        let failure = Failure(problem: problem, status: 404, path: ["groups", "teacher"])
        let suggesting = failure.suggesting("teachers")
        #expect(suggesting.reason == "There is no such group: teacher. Did you mean \"teachers\"?")
        #expect(suggesting.status == .notFound && suggesting.advice == failure.advice)
    }

    /// What is missing is a word of the answer, whatever its sentence says.
    @Test func aSentenceNamesNothing() {
        let problem = Problem(title: "There is no such group.", status: 404)
        #expect(Failure(problem: problem, status: 404, path: ["groups", "x"]).reason == "There is no such group.")
    }

    @Test func aVersionThatThereIsNotIsLookedForInTheHistory() {
        let problem = Problem(title: "No such version.", status: 404, missing: .configurationVersion)
        let path = ["apps", "a", "configurations", "default"]
        for end in [["versions", "9"], ["revert"]] {
            #expect(
                Failure(problem: problem, status: 404, path: path + end).advice
                    == "martlet configuration history a default shows what there is.")
        }
    }

    @Test func anEntryThatIsSentAgainIsLookedForInTheLog() {
        let problem = Problem(title: "No such entry.", status: 404, missing: .auditEntry)
        let failure = Failure(problem: problem, status: 404, path: ["webhooks", "w", "deliveries"])
        #expect(failure.advice == "martlet audit list shows what there is.")
    }

    @Test func aConfigurationThatIsAssignedAndThatThereIsNotIsNamed() {
        let problem = Problem(title: "There is no such configuration.", status: 404, missing: .configuration)
        let failure = Failure(problem: problem, status: 404, path: ["assignments", "g", "a"])
        #expect(failure.naming("defalt").reason == "There is no such configuration: defalt.")
        #expect(failure.naming("defalt").advice == failure.advice)
        #expect(failure.naming(nil) == failure)
        let other = Problem(title: "There is no such app.", status: 404, missing: .app)
        let unnamed = Failure(problem: other, status: 404, path: ["groups"])
        #expect(unnamed.naming("default") == unnamed)
    }

    @Test func anAppThatIsInNoGroupIsToBeGivenToOneFirst() {
        let problem = Problem(title: "The app is not assigned to the group.", status: 404)
        let path = ["secret-assignments", "g", "a", "password", "i"]
        #expect(Failure(problem: problem, status: 404, path: path).text.hasSuffix("martlet assign <group> <app>"))
        #expect(!Failure(problem: problem, status: 404, path: path, isDeletion: true).text.contains("martlet assign <"))
    }

    @Test func saysWhereToLookForWhatIsStillInUse() {
        let problem = Problem(title: "It is still used by devices.", status: 409)
        let failure = Failure(problem: problem, status: 409, path: ["groups", "x"], isDeletion: true)
        #expect(failure.text.contains("martlet device list"))
        let person = Failure(problem: problem, status: 409, path: ["people", "x"], isDeletion: true)
        #expect(person.text.contains("martlet device person remove"))
        let last = Failure(problem: problem, status: 409, path: ["administrators", "x"], isDeletion: true)
        #expect(last.advice == nil, "an administrator is used by no assignment: \(last.text)")
        let secret = Failure(problem: problem, status: 409, path: ["secrets", "x"], isDeletion: true)
        #expect(secret.text.contains("martlet secret unassign"))
    }

    /// A server's words about its API are for programs; people get the command.
    @Test func aSessionThatIsOverIsEndedByLoggingInAgain() {
        let problem = Problem(
            type: Problem.type(of: "not-logged-in"), title: "Log in first: POST /api/v1/session", status: 401)
        // Red of the session itself, which `martlet whoami` asks for.
        for path in [["devices"], ["session"], ["session", "password"], ["sessions"]] {
            let failure = Failure(problem: problem, status: 401, path: path)
            #expect(failure.status == .notLoggedIn && !failure.text.contains("POST"), "\(path)")
            #expect(failure.text.contains("martlet login"), "\(path)")
        }
        let wrong = Problem(
            type: Problem.type(of: "wrong-name-or-password"), title: "The name or the password is wrong.", status: 401)
        #expect(Failure(problem: wrong, status: 401, path: ["session"]).reason == wrong.title)
    }

    @Test func aOneTimePasswordIsChangedByACommand() {
        let problem = Problem(
            type: Problem.type(of: "password-must-change"),
            title: "The one-time password must be changed first: PUT /api/v1/session/password", status: 403)
        let failure = Failure(problem: problem, status: 403, path: ["groups"])
        #expect(failure.status == .refused && !failure.text.contains("PUT"))
        #expect(failure.text.contains("martlet password"))
    }

    @Test func anotherKindOfServerIsNotMistakenForAMissingThing() {
        #expect(Failure(problem: nil, status: 404, path: ["session"]).status == .unreachable)
    }

    @Test func tellsProgramsInJSONOnOneLine() throws {
        let failure = Failure(.refused, "it is \"so\"\n", advice: "Do this.")
        let value = try AdminJSON.decode(JSON.self, from: Data(failure.json.utf8))
        #expect(value["error"]?["status"]?.text == "refused")
        #expect(value["error"]?["reason"]?.text == "it is \"so\"\n")
        #expect(value["error"]?["advice"]?.text == "Do this.")
        #expect(!failure.json.contains("\n"))
    }

    @Test func joinsTitleAndDetail() {
        let problem = Problem(title: "Refused", status: 409, detail: "It is still used by an assignment.")
        #expect(Failure(problem: problem, status: 409).text == "martlet: Refused: It is still used by an assignment.")
        let sentences = Problem(title: "There is no such action.", status: 400, detail: "Known are: a, b.")
        #expect(
            Failure(problem: sentences, status: 400).text == "martlet: There is no such action. Known are: a, b.")
    }

    /// What a server finds is a value; the text for people says it too, and is read by nobody else.
    @Test func whatTheServerFindsIsKeptAsItSaidIt() {
        let finding = Finding(path: "wifi", rule: "secretKind", message: "it is a password", suggestion: "Look again.")
        let problem = Problem(title: "The app does not ask for this secret.", status: 422, findings: [finding])
        #expect(Failure(problem: problem, status: 422).findings == [finding])
        #expect(Failure(problem: Problem(title: "No.", status: 403), status: 403).findings.isEmpty)
        #expect(Failure(problem: nil, status: 422).findings.isEmpty)
    }

    /// Red where a key that the app ignores read as one for which it refuses the configuration.
    @Test func aWarningAmongWhatIsRefusedIsCalledOne() {
        let fault = Finding(path: "port", rule: "required", message: "is missing")
        let warning = Finding(path: "prot", rule: "unknownKey", message: "is not known", severity: .warning)
        let problem = Problem(title: "No.", status: 422, findings: [fault, warning])
        #expect(
            Failure(problem: problem, status: 422).advice
                == "  port: is missing\n  warning: prot: is not known\n--force sets it nevertheless.")
    }

    @Test func letsNoServerSteerTheTerminal() {
        #expect(!Failure(problem: Problem(title: "\u{1B}[2J", status: 500), status: 500).text.contains("\u{1B}"))
    }
}
