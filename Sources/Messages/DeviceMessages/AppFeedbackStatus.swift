package import Foundation
package import InputBounds

/// An element of the status item `dev.martlet.app.feedback`: what an app counted between two hand-overs.
///
/// Apple's protocol has none like it. It is no state of the device: each life of feedback is told until the server took
/// the report that held it, and a server keeps each once.
package struct AppFeedbackStatus: Hashable, Sendable {
    package static let name = "dev.martlet.app.feedback"
    package static let feature = "dev.martlet.app-feedback"

    /// What an app's feedback may be: 16 KiB, its collections at most 8 deep.
    package static let limits = InputLimits(bytes: 16_384, depth: 8, objects: 16_384)
    /// The most elements of one report.
    package static let most = 50
    private static let longestLife = 64

    /// Names the feedback from one hand-over to the next, on this device.
    package var life: String
    /// The bundle identifier.
    package var app: String
    /// A property list, whose outermost value is a dictionary.
    package var feedback: Data
    /// The version of the dictionary that the app had, in hexadecimal digits; empty where it had none.
    package var configuration: String
    /// When the life began, by the device's clock; on the wire in whole seconds.
    package var from: Date
    /// When it was handed over.
    package var to: Date
    /// How many notes of the app were beyond a bound meanwhile.
    package var refused: Int

    package init(
        life: String, app: String, feedback: Data, configuration: String = "", from: Date, to: Date, refused: Int = 0
    ) {
        self.life = life
        self.app = app
        self.feedback = feedback
        self.configuration = configuration
        self.from = from
        self.to = to
        self.refused = refused
    }

    /// Reads an element; one that does not say whose feedback of which time it is, or holds none, cannot be read.
    package init(_ value: JSONValue) throws(InputRefusal) {
        self = try Self.read(value).value
    }

    /// The same, with the places that were read only in part.
    package static func read(_ value: JSONValue) throws(InputRefusal) -> LenientReading<AppFeedbackStatus> {
        var said = SaidFields(try JSONFields(value))
        let life = try said.fields.string("identifier", limit: longestLife)
        guard !life.isEmpty else { throw InputRefusal("the key identifier is empty") }
        let app = try said.fields.string("app", limit: 255)
        guard !app.isEmpty else { throw InputRefusal("the key app is empty") }
        let text = try said.fields.string("feedback", limit: limits.bytes * 4 / 3 + 4)
        guard let feedback = Data(base64Encoded: text) else {
            throw InputRefusal("the key feedback is not a property list in Base64")
        }
        _ = try dictionary(feedback)
        var status = AppFeedbackStatus(
            life: life, app: app, feedback: feedback, from: try date("from", said.fields),
            to: try date("to", said.fields))
        if status.from > status.to {
            said.note(at: "from", "the interval of feedback ends before it begins, and its end is taken for both")
            status.from = status.to
        }
        status.configuration = configuration(&said)
        status.refused = max(0, said.int("refused") ?? 0)
        return LenientReading(status, said.oddities)
    }

    /// The dictionary that feedback is.
    package static func dictionary(_ feedback: Data) throws(InputRefusal) -> [String: PropertyListValue] {
        guard let entries = try PropertyListValue(parsing: feedback, limits: limits).dictionary else {
            throw InputRefusal("the feedback of an app is not a dictionary")
        }
        return entries
    }

    package var value: JSONValue {
        .object([
            "identifier": .string(life), "app": .string(app), "feedback": .string(feedback.base64EncodedString()),
            "configuration": .string(configuration), "from": .string(from.formatted(.iso8601)),
            "to": .string(to.formatted(.iso8601)), "refused": .integer(Int64(refused)),
        ])
    }

    private static func date(_ key: String, _ fields: JSONFields) throws(InputRefusal) -> Date {
        let text = try fields.string(key, limit: 64)
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        for style in styles {
            // A second of the calendar: what the device says beyond it nobody reckons with.
            if let date = try? style.parse(text) {
                return Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
            }
        }
        throw InputRefusal("the key \(key) is not a date of ISO 8601")
    }

    private static func configuration(_ said: inout SaidFields<JSONValue>) -> String {
        let text = said.text("configuration", limit: 64) ?? ""
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) { return text }
        said.note(at: "configuration", "the version of a configuration is not in hexadecimal digits, and was left out")
        return ""
    }
}

extension ClientCapabilities {
    /// Whether the device tells the server the feedback of its apps.
    package var tellsFeedback: Bool { supportedFeatures[AppFeedbackStatus.feature] != nil }
}

extension StatusReport {
    /// The feedback of apps that the report brings, as far as it can be read.
    package func feedback() -> [AppFeedbackStatus] {
        (value(at: AppFeedbackStatus.name)?.array ?? []).prefix(AppFeedbackStatus.most).compactMap {
            try? AppFeedbackStatus($0)
        }
    }
}
