import AdminMessages
import Foundation
import Testing

/// The API's JSON, letter by letter: programs outside this repository read it.
struct GoldenTests {
    private let moment = Date(timeIntervalSince1970: 1_795_000_000.25)

    private func expect<Value: Codable & Equatable>(
        _ value: Value, _ json: String, location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(String(decoding: try AdminJSON.encode(value), as: UTF8.self) == json, sourceLocation: location)
        #expect(try AdminJSON.decode(Value.self, from: Data(json.utf8)) == value, sourceLocation: location)
    }

    @Test func sessions() throws {
        try expect(SessionRequest(name: "admin", password: "p"), #"{"name":"admin","password":"p"}"#)
        try expect(
            SessionAnswer(token: "t", expires: moment, mustChangePassword: true),
            #"{"expires":"2026-11-18T11:06:40.250Z","mustChangePassword":true,"token":"t"}"#)
        try expect(PasswordChange(old: "a", new: "b"), #"{"new":"b","old":"a"}"#)
    }

    @Test func groupsAppsAndAssignments() throws {
        try expect(Group(name: "teachers"), #"{"name":"teachers"}"#)
        try expect(Group(name: "teachers", deviceCount: 3), #"{"deviceCount":3,"name":"teachers"}"#)
        try expect(
            App(bundleIdentifier: "com.example.a", name: "A", teamIdentifier: "T"),
            #"{"bundleIdentifier":"com.example.a","name":"A","teamIdentifier":"T"}"#)
        try expect(
            Assignment(group: "g", app: "a", configuration: "default"),
            #"{"app":"a","configuration":"default","group":"g"}"#)
        try expect(AssignmentRequest(), "{}")
        try expect(AssignmentRequest(delivery: Delivery.both.rawValue), #"{"delivery":"both"}"#)
    }

    @Test func configurations() throws {
        try expect(
            ConfigurationSummary(name: "default", version: 2, sha256: "ab", size: 10, modified: moment),
            #"{"modified":"2026-11-18T11:06:40.250Z","name":"default","sha256":"ab","size":10,"version":2}"#)
        try expect(
            ConfigurationAnswer(version: 2, sha256: "ab", size: 10, warnings: ["large"]),
            #"{"sha256":"ab","size":10,"version":2,"warnings":["large"]}"#)
        try expect(
            ConfigurationVersion(version: 3, sha256: "ab", size: 10, created: moment, author: "admin", revertOf: 1),
            #"{"author":"admin","created":"2026-11-18T11:06:40.250Z","revertOf":1,"sha256":"ab","size":10,"version":3}"#
        )
        try expect(RevertRequest(version: 1), #"{"version":1}"#)
    }

    @Test func enrollmentCodes() throws {
        try expect(
            EnrollmentCodeRequest(group: "g", validSeconds: 60, ownership: .personal, supervised: false),
            #"{"group":"g","ownership":"personal","supervised":false,"validSeconds":60}"#)
        try expect(
            EnrollmentCodeAnswer(
                id: "1", code: "c", enrollmentURL: "https://s/enroll/c", expires: moment, group: "g"),
            #"{"code":"c","enrollmentURL":"https://s/enroll/c","expires":"2026-11-18T11:06:40.250Z","group":"g","id":"1"}"#
        )
        try expect(
            EnrollmentCodeSummary(
                id: "1", group: "g", state: .open, created: moment, expires: moment, ownership: .organization,
                supervised: true, allowLegacyCryptography: false),
            #"{"allowLegacyCryptography":false,"created":"2026-11-18T11:06:40.250Z","#
                + #""expires":"2026-11-18T11:06:40.250Z","group":"g","id":"1","ownership":"organization","#
                + #""state":"open","supervised":true}"#)
    }

    @Test func devices() throws {
        let app = DeviceApp(
            identifier: "com.example.a", version: "1.0", state: "managed", configState: "invalid",
            reasons: [
                Reason(
                    code: "Error.ConfigurationIsInvalid",
                    details: .object(["Code": .integer(100), "KeyPath": .string("a.b"), "Message": .string("m")]))
            ],
            configurationName: "default", configurationVersion: 2)
        try expect(
            DeviceDetail(
                id: "U", kind: .device, ownership: .organization, supervised: false, groups: ["g"],
                state: .enrolled, facts: ["OSVersion": .string("12")],
                declarationsToken: DeclarationsTokenPair(current: "t1", acknowledged: "t0"),
                atRest: AtRest(keyHolder: "file", olderCopyNoticed: moment), apps: [app],
                declarations: [DeclarationState(identifier: "d", serverToken: "s", active: true, valid: "valid")]),
            #"{"apps":[{"configState":"invalid","configurationName":"default","configurationVersion":2,"#
                + #""identifier":"com.example.a","reasons":[{"code":"Error.ConfigurationIsInvalid","#
                + #""details":{"Code":100,"KeyPath":"a.b","Message":"m"}}],"state":"managed","version":"1.0"}],"#
                + #""atRest":{"keyHolder":"file","olderCopyNoticed":"2026-11-18T11:06:40.250Z"},"#
                + #""declarations":[{"active":true,"identifier":"d","reasons":[],"serverToken":"s","valid":"valid"}],"#
                + #""declarationsToken":{"acknowledged":"t0","current":"t1"},"facts":{"OSVersion":"12"},"#
                + #""groups":["g"],"id":"U","kind":"device","ownership":"organization","state":"enrolled","#
                + #""supervised":false}"#)
    }

    @Test func commands() throws {
        try expect(
            CommandRequest(requestType: "ProfileList", parameters: .object(["ManagedOnly": .boolean(true)])),
            #"{"parameters":{"ManagedOnly":true},"requestType":"ProfileList"}"#)
        try expect(
            CommandDetail(
                uuid: "u", requestType: "ProfileList", state: .error, queued: moment,
                errorChain: [CommandError(domain: "D", code: 1, description: "x")]),
            #"{"errorChain":[{"code":1,"description":"x","domain":"D"}],"queued":"2026-11-18T11:06:40.250Z","#
                + #""requestType":"ProfileList","state":"error","uuid":"u"}"#)
    }

    @Test func problemsAndPages() throws {
        try expect(
            Problem(title: "There is no such group.", status: 404),
            #"{"status":404,"title":"There is no such group.","type":"about:blank"}"#)
        try expect(
            Problem(type: Problem.type(of: "not-found"), title: "No.", status: 404, missing: .group),
            #"{"missing":"group","status":404,"title":"No.","type":"urn:martlet:problem:not-found"}"#)
        try expect(Page(items: [Group(name: "g")], next: "c"), #"{"items":[{"name":"g"}],"next":"c"}"#)
        try expect(Page<Group>(items: []), #"{"items":[]}"#)
    }

    @Test func readsDatesWithAndWithoutAFraction() throws {
        let dates = Data(#"["2026-11-18T11:06:40Z","2026-11-18T11:06:40.250Z"]"#.utf8)
        #expect(
            try AdminJSON.decode([Date].self, from: dates).map(\.timeIntervalSince1970) == [
                1_795_000_000, 1_795_000_000.25,
            ])
        #expect(throws: DecodingError.self) { try AdminJSON.decode([Date].self, from: Data(#"["yesterday"]"#.utf8)) }
    }

    @Test func readsAWordItDoesNotKnow() throws {
        let state = try AdminJSON.decode([CommandState].self, from: Data(#"["postponed"]"#.utf8))
        #expect(state == [CommandState(rawValue: "postponed")])
    }
}
