import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

struct DeviceCommandsTests {
    private let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1")

    private func commands(rights: Int = AccessRights.all) -> DeviceCommands {
        DeviceCommands(facts: facts, profile: profile(rights))
    }

    private func profile(_ rights: Int = AccessRights.all) -> EnrollmentProfile {
        EnrollmentProfile(
            identifier: "enrollment", uuid: UUID(), displayName: "E", organization: "O", roots: [],
            scep: SCEPPayload(url: "https://h/scep"),
            mdm: MDMPayload(serverURL: "https://h/mdm", topic: "t", accessRights: rights))
    }

    private func run(
        _ type: String, _ entries: [String: PropertyListValue] = [:], on state: inout AgentState,
        rights: Int = AccessRights.all
    ) throws -> CommandReport {
        let request = entries.merging(["RequestType": .string(type)]) { own, _ in own }
        let command = try Command(uuid: "1", request: .dictionary(request))
        switch commands(rights: rights).execute(command, on: &state) {
        case .report(let report), .synchronize(let report, _), .takeFeedback(let report, _): return report
        }
    }

    /// A profile with a payload of this type, or without any.
    private func profile(with type: String?) -> Data {
        let payload = type.map { type in
            PropertyListValue.dictionary([
                "PayloadType": .string(type), "PayloadIdentifier": .string("p.1"), "PayloadUUID": .string("u1"),
                "PayloadContent": .data(Data([1])),
            ])
        }
        return PropertyListValue.dictionary([
            "PayloadType": .string("Configuration"), "PayloadIdentifier": .string("p"), "PayloadUUID": .string("u"),
            "PayloadContent": .array([payload].compactMap(\.self)),
        ]).xml()
    }

    @Test func answersWhatIsAskedAndNothingElse() throws {
        var state = AgentState(udid: "U")
        let queries = PropertyListValue.array([.string("UDID"), .string("OSVersion"), .string("IMEI")])
        let report = try run("DeviceInformation", ["Queries": queries], on: &state)
        #expect(report.status == .acknowledged)
        #expect(report.contents["QueryResponses"]?.dictionary == ["UDID": .string("U"), "OSVersion": .string("12")])
    }

    @Test func rightThatWasNotGrantedIsNotUsed() throws {
        var state = AgentState(udid: "U")
        let report = try run("DeviceInformation", ["Queries": .array([])], on: &state, rights: AccessRights.apps)
        #expect(report.status == .error)
        #expect(!report.errorChain.isEmpty)
    }

    @Test func malformedRequestIsAFormatErrorAndAnUnknownOneAnError() throws {
        var state = AgentState(udid: "U")
        #expect(try run("DeviceInformation", on: &state).status == .commandFormatError)
        #expect(try run("RemoveProfile", on: &state).status == .commandFormatError)
        #expect(try run("MakeCoffee", on: &state).status == .error)
        #expect(state == AgentState(udid: "U"), "a command that fails changes nothing")
    }

    @Test func profileIsInstalledListedAndRemoved() throws {
        var state = AgentState(udid: "U")
        let payload = ["Payload": PropertyListValue.data(profile(with: nil))]
        #expect(try run("InstallProfile", payload, on: &state).status == .acknowledged)
        #expect(try run("InstallProfile", payload, on: &state).status == .acknowledged)
        let profiles = try run("ProfileList", on: &state).contents["ProfileList"]?.array
        #expect(profiles?.compactMap { $0["PayloadIdentifier"]?.string } == ["p"])
        #expect(try run("RemoveProfile", ["Identifier": .string("p")], on: &state).status == .acknowledged)
        #expect(try run("RemoveProfile", ["Identifier": .string("p")], on: &state).status == .error)
        #expect(state.profiles.isEmpty)
    }

    /// No payload is acknowledged that has no effect: no app would trust a root certificate that it brings.
    @Test(arguments: ["com.apple.security.root", "com.apple.security.pem", "com.apple.vpn.managed", "com.apple.mdm"])
    func aProfileWithAPayloadIsRefusedByThePayloadsType(_ type: String) throws {
        var state = AgentState(udid: "U")
        let report = try run("InstallProfile", ["Payload": .data(profile(with: type))], on: &state)
        #expect(report.status == .error)
        #expect(report.errorChain.first?.localizedDescription.contains(type) == true)
        #expect(state == AgentState(udid: "U"))
    }

    @Test(arguments: ["", "a b", "com.example.\u{1b}[31m", String(repeating: "a", count: 129)])
    func anAnswerRepeatsNoPayloadTypeThatIsNoName(_ type: String) throws {
        var state = AgentState(udid: "U")
        let report = try run("InstallProfile", ["Payload": .data(profile(with: type))], on: &state)
        let sentence = try #require(report.errorChain.first?.localizedDescription)
        #expect(report.status == .error && (type.isEmpty || !sentence.contains(type)))
    }

    /// A profile that an earlier agent accepted is listed, and its certificate is not: nothing trusts it.
    @Test func aRootOfAnEarlierAgentIsNotListedAsACertificate() throws {
        var state = AgentState(udid: "U")
        let content = profile(with: "com.apple.security.root")
        state.profiles = [InstalledProfile(identifier: "p", content: content)]
        #expect(try run("CertificateList", on: &state).contents["CertificateList"]?.array == [])
        #expect(try run("ProfileList", on: &state).contents["ProfileList"]?.array?.count == 1)
        #expect(try run("RemoveProfile", ["Identifier": .string("p")], on: &state).status == .acknowledged)
    }

    @Test func enrollmentsOwnProfileCannotBeRemovedByCommand() throws {
        var state = AgentState(udid: "U")
        #expect(try run("RemoveProfile", ["Identifier": .string("enrollment")], on: &state).status == .error)
    }

    @Test func declarativeManagementIsEnabledAndItsTokensTaken() throws {
        var state = AgentState(udid: "U")
        let tokens = SyncTokens(declarationsToken: "A", timestamp: Date(timeIntervalSince1970: 0))
        let command = Command.declarativeManagement(uuid: "1", tokens: TokensResponse(syncTokens: tokens))
        let outcome = commands().execute(command, on: &state)
        guard case .synchronize(let report, let taken) = outcome else {
            Issue.record("no synchronisation")
            return
        }
        #expect(report.status == .acknowledged)
        #expect(taken == tokens)
        #expect(state.declarations.enabled)
    }

    // MARK: - Ledger

    @Test func resultIsKeptUntilItIsDeliveredAndAnswersARepetition() {
        var ledger = CommandLedger()
        ledger.record("1", report: Data([1]))
        #expect(ledger.undelivered?.uuid == "1")
        ledger.delivered("1")
        #expect(ledger.undelivered == nil)
        #expect(ledger.answer(to: "1") == Data([1]))
        #expect(ledger.answer(to: "2") == nil)
    }

    @Test func ledgerIsBounded() {
        var ledger = CommandLedger()
        for number in 0..<1_000 { ledger.record("\(number)", report: Data()) }
        #expect(ledger.answer(to: "999") != nil)
        #expect(ledger.answer(to: "900") == nil)
    }

    /// S0-MDM-06, S1-MGD-01, S1-MGD-04: each app says whether it is managed; of a person's own device only those are told.
    @Test func eachAppIsListedAsManagedOrNot() throws {
        let apps = [
            ListedApp(
                bundleIdentifier: "com.example.ours", name: "Ours", version: "2", shortVersion: "1.2", isManaged: true,
                state: "managed",
                extensions: [
                    ListedExtension(
                        bundleIdentifier: "com.example.ours.keys", kind: "com.apple.keyboard-service",
                        configState: nil, isRestricted: true, hasFullAccess: false)
                ]),
            ListedApp(
                bundleIdentifier: "com.example.theirs", name: "Theirs", version: "1", shortVersion: "1",
                isManaged: false, state: nil,
                extensions: [
                    ListedExtension(
                        bundleIdentifier: "com.example.theirs.keys", kind: "com.apple.keyboard-service",
                        configState: nil, isRestricted: true, hasFullAccess: true)
                ]),
            ListedApp(
                bundleIdentifier: "com.example.offered", name: "Offered", version: nil, shortVersion: nil,
                isManaged: false, state: "optional"),
        ]
        func list(
            _ entries: [String: PropertyListValue], rights: Int = AccessRights.all
        ) throws -> [[String: PropertyListValue]]? {
            var state = AgentState(udid: "U")
            let commands = DeviceCommands(facts: facts, profile: profile(rights)) { _ in apps }
            let request = entries.merging(["RequestType": .string("InstalledApplicationList")]) { own, _ in own }
            let command = try Command(uuid: "1", request: .dictionary(request))
            guard case .report(let report) = commands.execute(command, on: &state) else { return nil }
            return report.contents["InstalledApplicationList"]?.array?.compactMap(\.dictionary)
        }
        let all = try list([:])
        #expect(all?.map { $0["Identifier"] } == [.string("com.example.ours"), .string("com.example.theirs")])
        #expect(all?.map { $0["IsManaged"] } == [.boolean(true), .boolean(false)])
        #expect(all?.first?["ShortVersion"] == .string("1.2"))
        // S1-MGD-02: an extension is managed as its app is.
        let keyboards = all?.compactMap { $0["MartletExtensions"]?.array?.first }
        #expect(keyboards?.map { $0["IsManaged"] } == [.boolean(true), .boolean(false)])
        #expect(keyboards?.map { $0["HasFullAccess"] } == [.boolean(false), .boolean(true)])
        #expect(try list(["ManagedAppsOnly": .boolean(true)])?.count == 1)
        #expect(try list(["Identifiers": .array([.string("com.example.theirs")])])?.count == 1)
        #expect(try list([:], rights: AccessRights.all - AccessRights.inspectApps) == nil)
    }
}
