import DeviceAgent
import Foundation
import Testing

/// What `martlet-agent status` says to people.
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
