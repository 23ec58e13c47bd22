import AdminMessages
import Crypto
import DeviceMessages
import Foundation
import InputBounds
import MadeRoots

/// One successful call of each operation of the API, in an order in which they can succeed.
struct Script {
    struct Step {
        let operation: String
        var headers: [String: String] = [:]
        var body: Data?
        var query = ""
        /// Parameters that are others than for the other steps.
        var parameters: [String: String] = [:]
        /// The parameter whose value is in the answer.
        var teaches: (parameter: String, member: String)?
    }

    private var steps: [Step]
    private var parameters: [String: String]

    /// Puts something behind each path: an app with a configuration, and a device that reported.
    ///
    /// `personal` is a device that came by an account.
    init(_ admin: AdminClient, _ device: PlayedDevice, personal: PlayedDevice) async throws {
        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
        let first = try await device.report(.idle)
        let status = """
            {"StatusItems":{"device":{"model":{"family":"Test"}},"app":{"managed":{"list":[
            {"identifier":"org.swift.landmarks","name":"Landmarks","version":"1","state":"managed",
            "config-state":{"app-config-state":{"state":"invalid"}},
            "reasons":[{"code":"Error.Refused","description":"why","details":{"KeyPath":"title"}}]}]}},
            "management":{"client-capabilities":{"supported-features":{"dev.martlet.try-configuration":{},"dev.martlet.app-feedback":{}}},
            "declarations":{"activations":[],"assets":[],"management":[],"configurations":[
            {"identifier":"c","server-token":"t","active":true,"valid":"valid","reasons":[{"code":"Info.X"}]}]}}},
            "Errors":[]}
            """
        _ = try await device.ask(.status, Data(status.utf8))
        _ = try await device.report(.acknowledged, first)
        let id = device.identifier.key
        let command = CommandRequest(requestType: "ProfileList")
        _ = try await admin.send("POST", "/devices/\(id)/commands", command)
        let failed = try await device.report(.idle)
        let chain: [PropertyListValue] = [
            .dictionary(["ErrorDomain": .string("d"), "ErrorCode": .integer(1), "LocalizedDescription": .string("l")])
        ]
        _ = try await device.report(.error, failed, contents: ["ErrorChain": .array(chain), "Other": .string("x")])
        parameters = [
            "group": "teachers", "app": "org.swift.landmarks", "name": "default", "version": "1", "device": id,
            "uuid": failed?.uuid ?? "", "id": "", "kind": "password", "identifier": "wifi", "person": "anna",
            "serialNumber": "SN-1", "administrator": "clara",
            "webhook": "tickets", "platform": "linux", "origin": "manifest",
        ]
        let team = try TeamPackage()
        let package = try team.package()
        parameters["sha256"] = SHA256.hash(data: package).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        steps = try Self.steps(command, team, package)
        steps.insert(
            Step(operation: "signOutDevice", parameters: ["device": personal.identifier.key]), at: 0)
    }

    private static func steps(
        _ command: CommandRequest, _ developer: TeamPackage, _ package: Data
    ) throws -> [Step] {
        let json = ["Content-Type": "application/json"]
        func change(_ operation: String, _ value: some Encodable) throws -> Step {
            Step(operation: operation, headers: json, body: try AdminJSON.encode(value))
        }
        func inOther(_ step: Step) -> Step {
            var step = step
            step.parameters["group"] = "other"
            return step
        }
        let reading = [
            "describe", "showReference", "listGroups", "showGroup", "listApps", "showApp", "listConfigurations",
            "showConfiguration",
            "listConfigurationVersions", "showConfigurationVersion", "showConfigurationAdoption", "listAssignments",
            "showAssignment",
            "listDevices", "showDevice", "showEffective", "listDeviceStatus", "listDeviceHistory", "listCommands",
            "showCommand",
        ].map { Step(operation: $0) }
        var code = try change("createEnrollmentCode", EnrollmentCodeRequest(group: "teachers"))
        code.teaches = ("id", "id")
        var team = try change(
            "addTeam", TeamRequest(certificate: developer.certificateDER.base64EncodedString()))
        team.teaches = ("fingerprint", "fingerprint")
        var job = Step(operation: "startAuditVerification")
        job.teaches = ("id", "id")
        var token = try change(
            "createToken", TokenRequest(name: "builds", validSeconds: 600, role: .reader, readOnly: true))
        token.teaches = ("id", "summary.id")
        let settings = [
            try change("setSetting", SettingRequest(payload: .object(["certificate": .string(MadeRoot.pem("Own"))]))),
            Step(operation: "listSettingKinds"), Step(operation: "listSettings"), Step(operation: "showSetting"),
            Step(operation: "listSettingVersions"), try change("assignSetting", SettingAssignmentRequest(priority: 1)),
            Step(operation: "listSettingAssignments"), Step(operation: "showSettingAssignment"),
            Step(operation: "unassignSetting"), Step(operation: "removeSetting"),
        ].map { step in
            var step = step
            step.parameters["kind"] = "root-certificate"
            return step
        }
        return reading + settings + [
            try change("createGroup", Group(name: "other")),
            inOther(try change("setGroupRule", GroupRuleRequest(rule: "os = linux"))),
            inOther(Step(operation: "showGroupRule")),
            try change("previewGroup", GroupPreviewRequest(rule: "shard 50% of a", group: "teachers")),
            inOther(Step(operation: "removeGroupRule")), Step(operation: "removeCommand"),
            try change("sendCommand", command), code, Step(operation: "listEnrollmentCodes"),
            Step(operation: "revokeEnrollmentCode"),
            try change("putApp", App(bundleIdentifier: "org.swift.landmarks", name: "Landmarks")),
            try change(
                "putAppSource",
                AppSourceRequest(
                    location: "https://example.org/a.plist", install: "optional", updates: "never",
                    minimumOSVersion: "12", minimumAgentVersion: "0.1")),
            Step(operation: "listAppSources"), Step(operation: "showAppSource"),
            Step(operation: "listTeams"), team, Step(operation: "showPackageUpload"),
            Step(
                operation: "uploadPackage",
                headers: ["Content-Range": "bytes 0-\(package.count - 1)/\(package.count)"], body: package),
            try change("acceptPackage", PackageRequest(offer: false)), Step(operation: "listPackages"),
            Step(operation: "showPackage"), Step(operation: "removePackage"), Step(operation: "removeTeam"),
            Step(operation: "removeAppSource"), Step(operation: "checkForAppUpdates"),
            Step(
                operation: "setSpecification", headers: json,
                body: Data(#"{"x-app": {"bundleIdentifier": "org.swift.landmarks"}, "properties": {}}"#.utf8)),
            Step(operation: "listenToEvents", query: "?follow=false"),
            try change("addDevicesToGroup", GroupDevicesRequest(devices: ["nobody"])),
            try change("sendCommandToGroup", CommandRequest(requestType: "ProfileList")), job,
            Step(operation: "listJobs"), Step(operation: "showJob"), Step(operation: "cancelJob"),
            try change(
                "addWebhook",
                WebhookRequest(name: "tickets", url: "https://webhooks.invalid/a", events: ["secret.*"])),
            Step(operation: "listWebhooks"), Step(operation: "showWebhook"),
            try change(
                "setWebhook", WebhookChange(url: "https://webhooks.invalid/b", events: ["*"], enabled: false)),
            try change("rotateWebhookSecret", WebhookRotationRequest(overlapSeconds: 60)),
            try change("redeliverToWebhook", RedeliveryRequest(sequence: 1)), Step(operation: "testWebhook"),
            Step(operation: "listWebhookDeliveries"), Step(operation: "removeWebhook"),
            try change(
                "setPushCredential",
                PushCredentialRequest(
                    key: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABCDE12345", teamID: "FGHIJ67890",
                    topic: "com.apple.mgmt.External.test")),
            Step(operation: "showAppleReadiness"), Step(operation: "showPushCredential"),
            Step(operation: "removePushCredential"),
            Step(operation: "showOverview"), Step(operation: "showHealth"), Step(operation: "listRefusals"),
            Step(operation: "listAppVersions"), Step(operation: "showAppStates"),
            Step(operation: "listSpecifications"),
            Step(operation: "showSpecification"),
            Step(operation: "checkConfiguration", body: AdminClient.configuration(title: "two")),
            Step(
                operation: "tryConfiguration", body: AdminClient.configuration(title: "three"),
                query: "?timeout=9", teaches: ("uuid", "id")),
            Step(operation: "showConfigurationTrial"), Step(operation: "removeSpecification"),
            try change("fetchFeedback", FeedbackFetchRequest(app: "org.swift.landmarks")),
            Step(operation: "listAppFeedback"), Step(operation: "showFeedbackSummary", query: "?key=failureCount"),
            Step(operation: "listDeviceFeedback"), Step(operation: "showFeedbackTrend", query: "?key=failureCount"),
            try change("setFeedbackMetrics", FeedbackMetrics(keys: ["failureCount"])),
            Step(operation: "showFeedbackMetrics"), Step(operation: "listFeedbackMetrics"),
            Step(operation: "setConfiguration", body: AdminClient.configuration(title: "two")),
            try change("revertConfiguration", RevertRequest(version: 1)),
            try change("assign", AssignmentRequest(configuration: "default")),
            try change("changeAssignment", AssignmentPatch(priority: .becomes(2))),
            try change("setSecret", SecretRequest.password(PasswordSecret(userName: "u", password: "p"))),
            Step(operation: "setSecretValues", body: Data("serialNumber,password\nS1,p\n".utf8)),
            try change("assignSecret", SecretAssignmentRequest(secret: "default")), Step(operation: "listSecrets"),
            Step(operation: "showSecret"), Step(operation: "listSecretVersions"),
            Step(operation: "listSecretAssignments"), Step(operation: "showSecretAssignment"),
            Step(operation: "listAuditEntries"), Step(operation: "exportAudit"),
            Step(operation: "unassignSecret"),
            Step(operation: "removeSecret"),
            Step(operation: "importPeople", body: Data("userName,email\nanna,anna@example.com\n".utf8)),
            try change("setPerson", PersonDetails(fullName: "Anna Graf", locale: "de_CH")),
            try change("setDevicePerson", DevicePersonRequest(userName: "anna")), Step(operation: "listPeople"),
            Step(operation: "showPerson"), Step(operation: "showDevicePerson"), Step(operation: "removeDevicePerson"),
            try change("setDeviceAttributes", DeviceAttributes(attributes: ["location": "Lobby"])),
            try change("changeDeviceAttributes", DeviceAttributesPatch(attributes: ["location": .becomes("Attic")])),
            Step(operation: "showDeviceAttributes"),
            Step(operation: "importDeviceAttributes", body: Data("device,location\n".utf8)),
            try change("invitePerson", InvitationRequest(group: "teachers", account: "anna@example.com")),
            Step(operation: "listInvitations"), Step(operation: "showInvitation"), Step(operation: "uninvitePerson"),
            Step(operation: "removePerson"),
            try change("expectDevice", ExpectedDeviceRequest(group: "teachers", trustSerialNumber: true)),
            Step(operation: "importExpectedDevices", body: Data("serialNumber,group,chip\n".utf8)),
            Step(operation: "listExpectedDevices"), Step(operation: "showExpectedDevice"),
            Step(operation: "unexpectDevice"),
            Step(operation: "addDeviceToGroup"), Step(operation: "removeDeviceFromGroup"),
            Step(operation: "unassign"), Step(operation: "removeConfiguration"), Step(operation: "removeApp"),
            Step(operation: "withdrawDevice"), Step(operation: "removeGroup"),
            try change(
                "createAdministrator",
                AdministratorRequest(name: "clara", role: .appOwner, apps: ["a.b"], groups: ["teachers"])),
            Step(operation: "listAdministrators"), Step(operation: "showAdministrator"),
            try change("setAdministrator", RightsRequest(role: .reader)), Step(operation: "resetPassword"),
            token, Step(operation: "listTokens"), Step(operation: "revokeToken"),
            Step(operation: "removeAdministrator"), Step(operation: "showSession"), Step(operation: "logOutElsewhere"),
            try change("changePassword", PasswordChange(old: AdminClient.password, new: "another long password")),
            try change("logIn", SessionRequest(name: "admin", password: "another long password")),
            Step(operation: "logOut"),
        ]
    }

    mutating func next() -> Step? { steps.isEmpty ? nil : steps.removeFirst() }

    /// The path with what stands for its parameters.
    func fill(_ path: String, of step: Step) -> String {
        parameters.merging(step.parameters) { $1 }.reduce(path) {
            $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value)
        } + step.query
    }

    mutating func learn(from answer: Answer, of step: Step) throws {
        guard let (parameter, member) = step.teaches else { return }
        let body = try JSONValue(parsing: answer.body, limits: .adminBody)
        parameters[parameter] = member.split(separator: ".").reduce(Optional(body)) { $0?[String($1)] }?.string
    }
}
