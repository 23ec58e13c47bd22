import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// A person's part of a device tells its server nothing that names the device.
struct SeparatedDataTests {
    private let facts = DeviceFacts(
        hostName: "annas-laptop", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1", serialNumber: "SERIAL")

    private func profile(account: String? = "anna@example.org") -> EnrollmentProfile {
        EnrollmentProfile(
            identifier: "enrollment", uuid: UUID(), displayName: "E", organization: "O", roots: [],
            scep: SCEPPayload(url: "https://h/scep"),
            mdm: MDMPayload(
                serverURL: "https://h/mdm", topic: "t", accessRights: nil,
                account: account.map { MDMPayload.Account(mode: .ownDevice, name: $0) }))
    }

    private func state(_ kind: EnrollmentKind, enrollmentID: String? = nil) -> AgentState {
        var state = AgentState(udid: "UDID-OF-IT")
        state.enrollment = Enrollment(
            origin: "https://h:443", codeDigest: "", roots: [], profile: profile().encoded(), key: KeptKey(pem: ""),
            token: Data(), pushMagic: "", kind: kind, enrollmentID: enrollmentID)
        return state
    }

    private func ask(_ names: [String], _ state: AgentState) throws -> CommandReport {
        var state = state
        let request = PropertyListValue.dictionary([
            "RequestType": .string("DeviceInformation"), "Queries": .array(names.map { .string($0) }),
        ])
        let commands = DeviceCommands(facts: facts, profile: profile())
        switch commands.execute(try Command(uuid: "1", request: request), on: &state) {
        case .report(let report), .synchronize(let report, _), .takeFeedback(let report, _): return report
        }
    }

    /// S4-PLAT-05: neither UDID nor serial number nor host name, whatever is asked for.
    @Test func aQueryIsAnsweredWithoutWhatNamesTheDevice() throws {
        let report = try ask(
            ["UDID", "SerialNumber", "HostName", "LocalHostName", "DeviceName", "OSVersion"],
            state(.account, enrollmentID: "E-1"))
        #expect(report.identifier == EnrollmentIdentifier(kind: .user, id: "E-1"))
        #expect(
            report.contents["QueryResponses"]?.dictionary
                == ["DeviceName": .string("Debian"), "OSVersion": .string("12")])
        let text = String(decoding: report.encoded(), as: UTF8.self)
        for secret in ["annas-laptop", "SERIAL", "UDID-OF-IT"] { #expect(!text.contains(secret)) }
        let whole = try ask(["UDID", "SerialNumber"], state(.device))
        #expect(whole.contents["QueryResponses"]?.dictionary?.count == 2)
    }

    @Test func statusItemsThatNameTheDeviceAreUnavailableAndNotOffered() {
        var state = state(.account, enrollmentID: "E-1")
        state.applied.subscriptions = AgentCapabilities.identifyingItems + ["device.model.family"]
        let items = StatusItems(state, apps: [], standings: [:], facts: facts, appUsers: .own)
        #expect(items.unavailable == AgentCapabilities.identifyingItems)
        #expect(items.values["device.model.family"]?.string == "Linux")
        let offered = AgentCapabilities.status(separatesData: true).statusItems
        #expect(Set(offered).isDisjoint(with: AgentCapabilities.identifyingItems) && !offered.isEmpty)
    }

    /// An account whose organization owns the device has no part of it: it is the whole device.
    @Test func onlyAPersonsPartSeparatesData() {
        #expect(state(.account, enrollmentID: "E-1").enrollment?.separatesData == true)
        for kind in [EnrollmentKind.device, .account, .automated] {
            #expect(state(kind).enrollment?.separatesData == false)
            #expect(state(kind).identifier == EnrollmentIdentifier(kind: .device, id: "UDID-OF-IT"))
            #expect(state(kind).enrollment?.isSupervised == (kind == .automated))
        }
    }

    @Test func whatAnOlderAgentKeptCameByACode() throws {
        let kept = try JSONEncoder().encode(try #require(state(.device).enrollment))
        var fields = try #require(try JSONSerialization.jsonObject(with: kept) as? [String: Any])
        #expect(fields.removeValue(forKey: "way") != nil)
        let old = try JSONDecoder().decode(Enrollment.self, from: JSONSerialization.data(withJSONObject: fields))
        #expect(old.kind == .device && !old.separatesData && !old.isSupervised)
    }

    /// In an update the account must not change; a profile for somebody else is refused.
    @Test func theEnrollmentsOwnProfileStaysThePersons() throws {
        for (account, isTaken) in [("anna@example.org", true), ("ben@example.org", false), (nil, false)] {
            var state = state(.account, enrollmentID: "E-1")
            let command = try Command(
                uuid: "1",
                request: .dictionary([
                    "RequestType": .string("InstallProfile"), "Payload": .data(profile(account: account).encoded()),
                ]))
            _ = DeviceCommands(facts: facts, profile: profile()).execute(command, on: &state)
            #expect((state.enrollment?.successor != nil) == isTaken, "\(account ?? "nobody")")
        }
    }

    /// The token goes to the server that gave it and to nobody to whom that points.
    @Test func theAccessTokenIsForItsServerAlone() {
        let token = AccessToken("t", for: ["https://a.example/mdm", "https://b.example:8443/checkin"])
        #expect(token.authorization(for: "https://a.example:443/any?x") == "Bearer t")
        #expect(token.authorization(for: "https://b.example:8443/") == "Bearer t")
        for other in [
            "https://b.example/", "http://a.example/", "https://a.example.org/", "https://a.example@c.example/",
        ] {
            #expect(token.authorization(for: other) == nil, "\(other)")
        }
    }
}
