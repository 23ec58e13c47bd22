import AdminMessages
import Console
import DeviceMessages
import Foundation
import Synchronization
import Testing

/// The operations of the API that the console reaches.
///
/// When you add an operation, give it a place in the console, or say here why it has none.
@Suite("Console: its reach")
struct ConsoleReachTests {
    /// The operations without a place in the console, and why.
    private static let elsewhere = [
        "describe": "for programs; the page that people read is linked from the account",
        "showReference": "a page of its own, to which the account leads",
        "showPackageUpload": "packages are sent in pieces: martlet app package upload",
        "uploadPackage": "packages are sent in pieces: martlet app package upload",
        "acceptPackage": "packages are sent in pieces: martlet app package upload",
        "setSecretValues": "a table of secrets stays out of browsers: martlet secret has a command for it",
        "listDeviceStatus": "every item as the protocol has it: martlet device status",
        "changeDeviceAttributes": "the page sends all of a device's attributes at once",
        "importDeviceAttributes": "a table comes from a file: martlet device attributes import",
        "listFeedbackMetrics": "who watches the server names them: martlet feedback metric list",
        "showFeedbackMetrics": "who watches the server names them: martlet feedback metric list",
        "setFeedbackMetrics": "who watches the server names them: martlet feedback metric add",
        "removeSpecification": "a newer specification takes the place of one: martlet app specification",
    ]

    /// Those that have a place to which this walk does not come, and the tests that come there.
    private static let further = [
        "assignSecret": "ConsoleChangeTests", "listSecretVersions": "ConsoleChangeTests",
        "checkConfiguration": "ConsoleEditorTests", "tryConfiguration": "ConsoleEditorTests",
        "showConfigurationTrial": "ConsoleEditorTests", "showConfigurationAdoption": "AdoptionTests",
        "addTeam": "ConsoleAdministrationTests", "listWebhookDeliveries": "ConsoleWebhookTests",
        "expectDevice": "ConsoleExpectedDeviceTests", "listSettingVersions": "ConsoleSettingTests",
        "showFeedbackTrend": "ConsoleFeedbackTests",
    ]

    /// Every page and every form is asked for, through the real API: the operations that none of them calls are exactly those
    /// that have no place.
    @Test func everyOperationHasItsPlaceOrAReasonForNone() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let operations = try await AdminOperation.all(admin)
                    let walk = Walk(door: WatchedDoor(admin: admin), device: device.identifier.key)
                    try await walk.everything(admin)
                    let reached = Set(walk.door.asked.compactMap { Self.operation(at: $0, of: operations) })
                    let all = Set(operations.map(\.name))
                    let missing = all.subtracting(reached).subtracting(Self.elsewhere.keys).subtracting(
                        Self.further.keys)
                    #expect(missing.isEmpty, "no place in the console: \(missing.sorted().joined(separator: ", "))")
                    let found = reached.intersection(Self.elsewhere.keys)
                    #expect(found.isEmpty, "they have a place by now: \(found.sorted().joined(separator: ", "))")
                    #expect(all.isSuperset(of: Self.elsewhere.keys), "the API has no such operation")
                    #expect(Self.elsewhere.values.allSatisfy { $0.count > 10 })
                }
            }
        }
    }

    /// The operation that a call was of: of several whose path fits, the one with the most words of its own.
    private static func operation(at asked: String, of operations: [AdminOperation]) -> String? {
        let parts = asked.split(separator: " ", maxSplits: 1)
        let path = parts[1].prefix { $0 != "?" }.split(separator: "/")
        let fitting = operations.filter { operation in
            let pattern = operation.path.split(separator: "/")
            return operation.method == parts[0] && pattern.count == path.count
                && zip(pattern, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return fitting.min { $0.path.count { $0 == "{" } < $1.path.count { $0 == "{" } }?.name
    }
}

/// The API, with word of what was asked of it.
private final class WatchedDoor: AdminDoor {
    let admin: AdminClient
    private let calls = Mutex<Set<String>>([])

    init(admin: AdminClient) { self.admin = admin }

    var asked: Set<String> { calls.withLock { $0 } }

    func note(_ method: String, _ path: String) { calls.withLock { _ = $0.insert("\(method) \(path)") } }

    func answer(_ call: AdminDoorCall) async throws -> AdminDoorAnswer {
        note(call.method, call.path)
        let answer = try await admin.send(call.method, call.path, headers: call.headers, body: call.body)
        return AdminDoorAnswer(status: Int(answer.status), entityTag: answer.headers["etag"], body: answer.body)
    }
}

/// Everything that a browser can ask the console for, once.
private struct Walk {
    let door: WatchedDoor
    let device: String
    private let pages = ConsolePages()

    init(door: WatchedDoor, device: String) { (self.door, self.device) = (door, device) }

    /// What stands in the places of an address; the rest is called `x`, and need not be there.
    private var names: [String: String] {
        ["device": device, "app": "a.b", "group": "g", "platform": "linux", "origin": "package", "version": "1"]
    }

    /// What is typed where a form looks at it before it asks for anything.
    private static func typed(for address: String) -> [[String: String]] {
        let usual = [
            "name": "x", "app": "a.b", "group": "g", "person": "x", "devices": "x", "device": "x", "confirmed": "1",
            "kind": "password", "secret": "x", "identifier": "x", "password": "x", "platform": "linux",
            "origin": "package", "text": "{}", "view": "json", "role": "reader", "serialNumber": "x",
        ]
        let others: [[String: String]]
        switch address {
        case let address where address.hasSuffix("/command"): others = [["kind": "ProfileList"]]
        case let address where address.hasSuffix("/groups/{group}/devices"): others = [[:], ["devices": "x y"]]
        case let address where address.hasSuffix("/edit"): others = ["save", "check", "try"].map { ["do": $0] }
        case let address where address.hasSuffix("/import"):
            others = [["text": #"{"x-app": {"bundleIdentifier": "a.b", "version": "1"}, "type": "object"}"#]]
        default: others = [["do": "preview"], ["do": "save"]]
        }
        return others.map { usual.merging($0) { $1 } }
    }

    func everything(_ admin: AdminClient) async throws {
        try #require(try await admin.send("PUT", "/apps/a.b", App(bundleIdentifier: "a.b", name: "A")).status == 200)
        try #require(try await admin.send("POST", "/groups", Group(name: "g")).status == 201)
        for address in ConsolePages.addresses { try await ask(.get, address) }
        // What removes something comes last: until then it is there for the others.
        let forms = ConsolePages.forms
        let ending = forms.filter { $0.hasSuffix("/remove") || $0.hasSuffix("/withdraw") }
        for address in forms.filter({ !ending.contains($0) }) + ending {
            for fields in Self.typed(for: address) { try await ask(.post, address, fields) }
        }
        // The pages of the session itself, of which the last ends it.
        for path in ["password", "sign-in", "sign-out"] {
            try await ask(.post, ConsolePages.root + "/" + path, ["old": "x", "new": "y", "again": "y"])
        }
    }

    private func ask(
        _ method: ConsoleRequest.Method, _ address: String, _ fields: [String: String] = [:]
    ) async throws {
        let path = address.dropFirst(ConsolePages.root.count).split(separator: "/").map { part in
            part.hasPrefix("{") ? names[String(part.dropFirst().dropLast())] ?? "x" : String(part)
        }
        let form = Form(fields: fields.sorted { $0.key < $1.key }.map { Form.Field($0.key, $0.value) })
        let request = ConsoleRequest(
            method: method, path: path, query: [:], form: form, formToken: "token", now: Date())
        if case .passedOn(let path) = try await pages.answer(request, through: door) { door.note("GET", path) }
    }
}
