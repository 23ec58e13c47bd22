import AdminMessages
import Foundation
import Synchronization
import Testing
import Waiting

/// What an administrator, a device and an app do while one of them is killed; each operation lasts until it has arrived.
///
/// Every operation may be cut off at any moment and says what it was about again, as a person or a script would.
final class Workload: Sendable {
    enum Operation: CaseIterable {
        /// A new value reaches the app.
        case configure
        /// A value that the app refuses; its reason reaches the administrator.
        case refuse
        /// One profile is installed and the one before it removed.
        case command
        /// The device leaves and enrolls anew, in a new life.
        case enroll
    }

    private struct State {
        var app: RunningProcess
        var round = 0
        /// The rounds seen so far are never undercut, and from which line of `app` on they are still to be looked at.
        var newest = 0
        var checked = 0
        /// Whether the app is to have no value, as it refused the newest.
        var isRefused = false
        var refusals = 0
        var profile = 0
        var commands: [String: String] = [:]
        var isUnderway = false
    }

    let road: Road
    private let administrator: Administrator
    private let state: Mutex<State>

    /// A road with an enrolled device and a running app that shows round 0.
    static func with(_ body: (Workload) async throws -> Void) async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Round 0")
            try await Administrator.with(road) { administrator in
                let workload = Workload(road, administrator, try road.openLandmarks())
                try await workload.shows("Managed Collection: Round 0")
                try await body(workload)
            }
        }
    }

    private init(_ road: Road, _ administrator: Administrator, _ app: RunningProcess) {
        self.road = road
        self.administrator = administrator
        state = Mutex(State(app: app))
    }

    /// Whether an operation has begun and not arrived yet.
    var isUnderway: Bool { state.withLock(\.isUnderway) }

    // MARK: Operations

    func perform(_ operation: Operation) async throws {
        state.withLock { $0.isUnderway = true }
        switch operation {
        case .configure: try await configure()
        case .refuse: try await refuse()
        case .command: try await command()
        case .enroll: try await enroll()
        }
        state.withLock { $0.isUnderway = false }
    }

    private func configure() async throws {
        let round = state.withLock { state in
            (state.round, state.isRefused) = (state.round + 1, false)
            return state.round
        }
        try await set("<string>Round \(round)</string>", landmark: 1001)
        try await shows("Managed Collection: Round \(round)")
    }

    private func refuse() async throws {
        let count = state.withLock { state in
            (state.round, state.isRefused) = (state.round + 1, true)
            state.refusals += 1
            return state.refusals
        }
        // Two mistakes in turn, so that the reason is never the one that was there before.
        let key: String
        if count.isMultiple(of: 2) {
            try await set("<integer>\(count)</integer>", landmark: 1001)
            key = "managedCollection.title"
        } else {
            try await set("<string>Refused \(count)</string>", landmark: 9_999)
            key = "managedCollection.landmarks"
        }
        try await until("the reason of refusal \(count)") {
            try await self.device().apps.flatMap(\.reasons).contains { "\($0)".contains(key) }
        }
    }

    private func set(_ title: String, landmark: Int) async throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>managedCollection</key><dict><key>title</key>\(title)
            <key>landmarks</key><array><integer>\(landmark)</integer></array></dict></dict></plist>
            """
        // The same value again makes no new version, so that a lost answer costs nothing.
        try await administrator.insist(
            "PUT", "/apps/\(Road.app)/configurations/default", Data(document.utf8), type: "application/xml")
    }

    private func command() async throws {
        let profile = state.withLock { state in
            state.profile += 1
            return state.profile
        }
        let content = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>
            <key>PayloadIdentifier</key><string>crash.\(profile)</string><key>PayloadUUID</key>
            <string>\(UUID().uuidString)</string><key>PayloadContent</key><array/></dict></plist>
            """
        try await queue(
            "InstallProfile", "<key>Payload</key><data>\(Data(content.utf8).base64EncodedString())</data>")
        if profile > 1 {
            try await queue("RemoveProfile", "<key>Identifier</key><string>crash.\(profile - 1)</string>")
        }
        try await until("the answers to the commands") {
            try await self.commands().values.allSatisfy { $0 != "queued" && $0 != "sent" }
        }
    }

    /// Queues one command, and only one: after a lost answer it is looked up before it is said again.
    private func queue(_ type: String, _ members: String) async throws {
        let request = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>RequestType</key><string>\(type)</string>\(members)</dict></plist>
            """
        let known = Set(state.withLock(\.commands).keys)
        var last = ""
        let now = try await eventually("a command in the queue, but \(last)") { () -> [String: String]? in
            do {
                try await administrator.send(
                    "POST", "/devices/\(road.udid)/commands", Data(request.utf8), type: "application/xml")
            } catch let refused as Administrator.Refused {
                throw refused
            } catch {
                last = "\(error)"
            }
            let now = try await commands()
            return now.keys.allSatisfy { known.contains($0) } ? nil : now
        }
        #expect(now.keys.count { !known.contains($0) } == 1, "one command was queued twice")
        state.withLock { $0.commands = now }
    }

    private func enroll() async throws {
        let wish = try AdminJSON.encode(EnrollmentCodeRequest(group: "teachers", replaces: road.udid))
        let answer = try AdminJSON.decode(
            EnrollmentCodeAnswer.self, from: try await administrator.insist("POST", "/enrollment-codes", wish))
        try await road.stop(try road.agent)
        // Whether the server hears of it or not: the device leaves.
        let left = try await road.run("martlet-agent", ["unenroll", "--directory", road.agentDirectory])
        #expect(left.status == 0, "\(left.text)")
        // A new life begins without the profiles and commands of the one before.
        state.withLock { ($0.profile, $0.commands) = (0, [:]) }
        try await road.enroll(code: answer.code, directory: road.agentDirectory)
        try await road.startAgent()
        try await forgetCommands()
    }

    /// Removes the commands that are done, so that the queue stays short.
    private func forgetCommands() async throws {
        for uuid in try await commands().keys {
            // Said twice because an answer was lost, it is refused: what matters is that it is gone.
            _ = try? await administrator.insist("DELETE", "/devices/\(road.udid)/commands/\(uuid)")
        }
        let left = try await commands()
        state.withLock { $0.commands = left }
        #expect(left.isEmpty)
    }

    /// Puts another process of the app in the place of one that has ended.
    func reopenApp() async throws {
        try checkViews()
        let app = try road.openLandmarks()
        state.withLock { ($0.app, $0.checked) = (app, 0) }
        try await until("the reopened app's view") { app.output.contains { isAView($0.text) } }
    }

    // MARK: What must be true afterwards

    /// The newest accepted value has arrived, no stale one followed it, no command took effect twice, and server and
    /// device agree.
    func settle() async throws {
        let (round, isRefused) = state.withLock { ($0.round, $0.isRefused) }
        if !isRefused, round > 0 { try await shows("Managed Collection: Round \(round)") }
        try checkViews()
        let state = isRefused ? "invalid" : "valid"
        var device = try await device()
        do {
            try await until("a device that agrees with the server") {
                device = try await self.device()
                return device.synchronised && device.apps.first?.configState == state
            }
        } catch {
            // What the agent itself takes the app's word to be.
            let status = try await road.run("martlet-agent", ["status", "--directory", road.agentDirectory])
            throw Road.Broken(description: "\(error)\n\(device)\n\(status.text)")
        }
        // What a repeated report says again is not there twice.
        #expect(device.apps.count == 1)
        #expect(device.apps.first?.reasons.count == (isRefused ? 1 : 0), "\(device.apps)")
        #expect(Set(device.declarations.map(\.identifier)).count == device.declarations.count)
        try await checkCommands()
    }

    /// Each command was queued once and done once: a second removal would be an error, a second installation would bring
    /// back what was removed.
    private func checkCommands() async throws {
        let (profile, queued) = state.withLock { ($0.profile, $0.commands) }
        guard profile > 0 else { return }
        let now = try await commands()
        #expect(Set(now.keys) == Set(queued.keys))
        #expect(now.values.allSatisfy { $0 == "acknowledged" }, "a command took effect twice: \(now)")
        let listed: CommandDetail = try await until("the list of profiles") {
            let text = try await self.road.martlet(
                "device", "command", self.road.udid, "ProfileList", "--wait", Road.longest, "--json")
            return try AdminJSON.decode(CommandDetail.self, from: Data(text.utf8))
        }
        guard case .array(let profiles)? = listed.answer?["ProfileList"] else {
            throw Road.Broken(description: "a ProfileList without profiles")
        }
        let installed = profiles.compactMap { $0["PayloadIdentifier"]?.text }.filter { $0.hasPrefix("crash.") }
        #expect(installed == ["crash.\(profile)"])
        try await forgetCommands()
    }

    /// The rounds that apps show never go back, over the end of one app and the start of the next.
    private func checkViews() throws {
        try state.withLock { state in
            let lines = state.app.output.dropFirst(state.checked)
            for line in lines {
                if let range = line.text.range(of: "Managed Collection: Round ") {
                    let round = try #require(Int(line.text[range.upperBound...].prefix { $0.isNumber }))
                    #expect(round >= state.newest, "a stale value followed a newer one")
                    state.newest = max(state.newest, round)
                }
            }
            state.checked += lines.count
        }
    }

    /// Waits until the app's newest view has `text`.
    private func shows(_ text: String) async throws {
        try await until("a view with “\(text)”") {
            self.state.withLock(\.app).output.last { isAView($0.text) }?.text.contains(text) ?? false
        }
    }

    // MARK: Asking

    private func commands() async throws -> [String: String] {
        let page: Page<CommandSummary> = try await administrator.get("/devices/\(road.udid)/commands?limit=500")
        return Dictionary(uniqueKeysWithValues: page.items.map { ($0.uuid, $0.state.rawValue) })
    }

    private func device() async throws -> DeviceDetail {
        try await administrator.get("/devices/\(road.udid)")
    }

    private func until(_ what: String, _ holds: () async throws -> Bool) async throws {
        let _: Bool = try await until(what) { try await holds() ? true : nil }
    }

    private func until<Answer>(_ what: String, _ ask: () async throws -> Answer?) async throws -> Answer {
        try await eventually("\(what), after these lines of the app's:\n\(lastLines)\n") { try await ask() }
    }

    private var lastLines: String {
        state.withLock(\.app).output.suffix(8).map { "    " + $0.text }.joined(separator: "\n")
    }
}
