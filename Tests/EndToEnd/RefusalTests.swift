import Foundation
import ManagedApp
import Testing
import Waiting

/// A refusal's way back: from the app's decoder to the administrator.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct RefusalTests {
    private typealias Code = ManagedAppConfigurationDecodingErrorCode

    /// S4-API-07, S4-API-16, S4-API-17: each kind of refusal yields nil and is shown with code, message and key path.
    ///
    /// S4-API-05: the fields have the names that the app's own coding keys give them.
    @Test func everyRefusalReachesTheAdministratorWithItsPlace() async throws {
        try await withStrict { strict, road, app in
            let refusals: [(body: String, code: String, message: String, keyPath: String)] = [
                (entries(retries: "<integer>10</integer>"), "42", "tooManyRetries: at most 9", "retries"),
                (entries(name: "name"), "\(Code.keyNotFound)", "the key is missing", "com.example.name"),
                (entries(retries: "<string>3</string>"), "\(Code.typeMismatch)", "not of type Int", "retries"),
                (entries(identifier: "no identifier"), "\(Code.dataCorrupted)", "UUID", "identifier"),
            ]
            for (number, refusal) in refusals.enumerated() {
                var mark = app.mark
                try await strict.configure(dictionary: refusal.body)
                #expect(try await app.line(after: mark, "nil", where: isAnElement).text == "nil")
                var shown = ""
                try await eventually("told: \(refusal), but \(shown)") { () -> Bool in
                    shown = try await road.deviceShown()
                    return shown.shows("code", refusal.code) && shown.shows("message", refusal.message)
                        && shown.shows("key path", refusal.keyPath)
                }
                mark = app.mark
                try await strict.configure(dictionary: entries(retries: "<integer>\(number)</integer>"))
                let right = try await app.line(after: mark, "a value", where: isAnElement)
                #expect(right.text == "value Anna \(number)")
            }
        }
    }

    /// A decoder that never returns: nil when its five seconds are over and not before, the administrator is told,
    /// later updates are decoded.
    @Test func aDecoderThatNeverReturnsIsATimeOut() async throws {
        try await withStrict { strict, road, app in
            for round in 1...2 {
                var mark = app.mark
                let begun = ContinuousClock.now
                try await strict.configure(
                    dictionary: "<key>mode</key><string>spin</string>"
                        + "<key>retries</key><integer>\(round)</integer>")
                let given = try await app.line(after: mark, "nil", where: isAnElement)
                #expect(given.text == "nil")
                #expect(given.at - begun > .seconds(3))
                var shown = ""
                try await eventually("the time limit is told, but \(shown)") { () -> Bool in
                    shown = try await road.deviceShown()
                    return shown.shows("code", "\(Code.timeout)") && shown.shows("message", "time limit")
                }
                mark = app.mark
                try await strict.configure(dictionary: entries(retries: "<integer>\(round)</integer>"))
                let right = try await app.line(after: mark, "a value", where: isAnElement)
                #expect(right.text == "value Anna \(round)")
                try await eventually("no refusal is shown that is no more") {
                    try await !road.deviceShown().contains("time limit")
                }
            }
        }
    }

    private func withStrict(_ body: (RoadApp, Road, RunningProcess) async throws -> Void) async throws {
        try await Road.with { road in
            let strict = try await RoadApp.installed("EchoApp", as: "com.example.strict", on: road)
            try await strict.configure(dictionary: entries())
            try await strict.assign()
            try await road.enroll()
            try await road.synchronised()
            let app = try strict.open("strict")
            _ = try await app.line(containing: "value Anna 3")
            try await body(strict, road, app)
        }
    }

    private func entries(
        name: String = "com.example.name", retries: String = "<integer>3</integer>",
        identifier: String = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    ) -> String {
        "<key>\(name)</key><string>Anna</string><key>retries</key>\(retries)"
            + "<key>identifier</key><string>\(identifier)</string>"
    }
}

extension String {
    /// Whether a line has a label and, after it, a text.
    fileprivate func shows(_ label: String, _ text: String) -> Bool {
        split(separator: "\n").contains { line in
            let line = line.drop { $0 == " " }
            return line.hasPrefix(label + " ") && line.dropFirst(label.count).contains(text)
        }
    }
}
