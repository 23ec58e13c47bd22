import DeviceMessages
import Foundation
import Testing

@testable import DeviceAgent

/// What `martlet-agent status` says to people.
@Suite(.timeLimit(.minutes(10)))
struct AgentSummaryTests {
    /// Each word about an app stands below the name of its column, however long the apps' identifiers are.
    ///
    /// Red where the words followed each other without names.
    @Test func wordsAboutAnAppStandInNamedColumns() throws {
        var state = AgentState(udid: "U")
        for (identifier, configuration) in [
            ("com.example.a", nil), ("com.example.much.longer", String(repeating: "0", count: 64)),
        ] as [(String, String?)] {
            state.applied.apps[identifier] = AppliedApp(
                composedIdentifier: identifier, declarationIdentifier: "d", configuration: configuration)
        }
        let apps = state.managed.sorted { $0.key < $1.key }.map { AgentSummary.App($0.key, $0.value, in: state) }
        let lines = AgentSummary.App.lines(of: apps)
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("APP ") && lines[1].hasPrefix("com.example.a "))
        for (column, name) in ["CONFIGURATION", "VERDICT", "STANDING", "TRUST"].enumerated() {
            let place = try #require(lines[0].range(of: name)).lowerBound.utf16Offset(in: lines[0])
            for (line, app) in zip(lines.dropFirst(), apps) {
                #expect(line.dropFirst(place).hasPrefix(app.cells[column + 1]), "\(line)")
            }
        }
        #expect(AgentSummary.App.lines(of: []).isEmpty, "no names without apps")
    }

    /// Red where `status` showed what the server had accepted last and `app list` what is here now.
    @Test func withoutTheServerStatusAndListSayTheSameOfAnApp() async throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = root.appending(path: "A.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let information = [
            "CFBundleIdentifier": PlayedManagement.app, "CFBundleExecutable": "a", "CFBundleVersion": "1",
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        try Data("#!/bin/sh\n".utf8).write(to: bundle.appending(path: "a"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: bundle.appending(path: "a").path)
        try await EnrolledDevice.run(apps: [root.path]) { fixture in
            func shown() throws -> AgentSummary.App {
                let state = fixture.device.known
                return AgentSummary.App(
                    PlayedManagement.app, try #require(state.managed[PlayedManagement.app]), in: state)
            }
            func listed() throws -> ListedApp {
                try #require(
                    fixture.device.listedApps(fixture.device.known).first {
                        $0.bundleIdentifier == PlayedManagement.app
                    })
            }
            try await fixture.serves(1)
            let unknown = ReportedAppState.unknown.rawValue
            try await fixture.eventually("the server knows that the app is here") { try shown().standing == unknown }
            #expect(try listed().standing == unknown)

            fixture.management.publish(1) { _ in .reply(502) }
            try FileManager.default.removeItem(at: bundle)
            let now = try listed()
            #expect(now.version == nil && now.standing == ReportedAppState.waiting.rawValue)
            var app = try shown()
            #expect(app.standing == unknown, "an agent that does not run says what the server has accepted")
            app.take(now)
            #expect(app.standing == now.standing)
        }
    }

    /// A contact is written down once an hour: what is said is when it was at the earliest and at the latest, never a time
    /// that has not come.
    ///
    /// Red where it read "or up to an hour later" a minute after the contact.
    @Test func theLastContactIsNeverInTheFuture() {
        let contact = Date(timeIntervalSince1970: 1_764_000_000)
        func said(after seconds: TimeInterval) -> String {
            AgentSummary.span(ofContact: contact, now: contact.addingTimeInterval(seconds))
        }
        let first = contact.formatted(.iso8601)
        #expect(said(after: 60) == "between \(first) and \(contact.addingTimeInterval(60).formatted(.iso8601))")
        let hour = "between \(first) and \(contact.addingTimeInterval(3_600).formatted(.iso8601))"
        #expect(said(after: 3_600) == hour)
        #expect(said(after: 100_000) == hour)
        #expect(said(after: 0) == first)
        #expect(said(after: -500) == first)
    }
}
