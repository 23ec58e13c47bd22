import AppMessages
package import AppSpecification
package import DeviceAgent
package import Foundation
import JSONSchema

/// One thing that happened while an app is developed: a line for its developer, or a JSON object for a program.
///
/// Nothing in it is a value of a configuration or of a secret; what the app says is the app's.
package struct DevelopmentEvent: Encodable, Equatable, Sendable {
    /// What happened.
    package enum Kind: String, Encodable, Sendable {
        case served, awaited, deployed, finding, kept, withdrawn, secrets, missingSecret, accepted, refused
    }

    package let event: Kind
    package let time: Date
    package var file: String?
    package var `extension`: String?
    package var keyPath: String?
    /// Whether that is where the decoder was, not what the app's error named.
    package var keyPathSupplied: Bool?
    package var severity: String?
    package var rule: String?
    package var code: Int?
    package var message: String?
    package var suggestion: String?
    /// What the specification says of the code, or what the code means in every app.
    package var name: String?
    package var meaning: String?
    package var remedy: String?
    /// Where the app is answered.
    package var socket: String?
    /// How many secrets of each kind there are.
    package var secrets: [String: Int]?

    package init(_ event: Kind, at time: Date) { (self.event, self.time) = (event, time) }

    /// What there is to say of a change at the desk: the findings first, before the app sees anything.
    package static func of(_ change: DeploymentDesk.Change, at time: Date) -> [DevelopmentEvent] {
        switch change {
        case .deployed(let target, let file, let findings):
            let found = findings.map { finding in
                var event = DevelopmentEvent(.finding, at: time)
                event.file = file
                event.severity = finding.severity.rawValue
                event.keyPath = finding.path.description
                event.rule = finding.rule
                event.message = finding.message
                event.suggestion = finding.suggestion
                return event
            }
            return found + [DevelopmentEvent(.deployed, at: time, file, target)]
        case .kept(let file, let why):
            var event = DevelopmentEvent(.kept, at: time)
            event.file = file
            event.message = why
            return [event]
        case .withdrawn(let target, let file): return [DevelopmentEvent(.withdrawn, at: time, file, target)]
        case .unused(let file, let meant):
            var event = DevelopmentEvent(.finding, at: time)
            event.file = file
            event.severity = "warning"
            event.rule = "unusedFile"
            event.message = "the file is not used, and there is no \(meant)"
            event.suggestion = "Did you mean \"\(meant)\"? Then rename it."
            return [event]
        }
    }

    /// What the app's decoder said about what is deployed in a file.
    package init(_ report: ConfigurationReport, of file: String, _ specification: AppSpecification?) {
        self.init(report.valid ? .accepted : .refused, at: report.at)
        self.file = file
        self.extension = report.extension
        guard !report.valid else { return }
        keyPath = report.keyPath
        keyPathSupplied = report.keyPathSupplied ? true : nil
        code = report.code
        message = report.message
        let own = specification?.errors.first { $0.code == report.code }
        let known = own ?? report.code.flatMap { SpecifiedError.standard($0) }
        name = known?.name
        meaning = known?.meaning
        remedy = known?.remedy
    }

    private init(_ event: Kind, at time: Date, _ file: String, _ target: DeploymentTarget) {
        self.init(event, at: time)
        self.file = file
        if case .extension(let identifier) = target { self.extension = identifier }
    }

    /// For a program: one line.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// For a person: the time of day, what happened, and indented what helps.
    package func text(in zone: TimeZone = .current) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.hour, .minute, .second], from: time)
        let clock = [parts.hour, parts.minute, parts.second].map { number in
            let text = "\(number ?? 0)"
            return text.count == 1 ? "0" + text : text
        }.joined(separator: ":")
        let more = help.map { "\n         " + Self.onOneLine($0) }.joined()
        return "\(clock) \(Self.onOneLine(sentence))\(more)"
    }

    private var sentence: String {
        let file = file ?? ""
        let place = keyPath.map { $0.isEmpty ? "" : $0 + ": " } ?? ""
        switch event {
        case .served, .awaited, .missingSecret: return message ?? ""
        case .deployed: return "\(file) deployed" + (self.extension.map { " for \($0)" } ?? "")
        case .finding: return "\(file) \(severity ?? ""): \(place)\(message ?? "")"
        case .kept: return "\(file) is not used, what was there before stays: \(message ?? "")"
        case .withdrawn: return "\(file) withdrawn"
        case .secrets:
            if let message { return "\(file) is not used, the app has no secrets: \(message)" }
            let counts = SecretKind.allCases.compactMap { kind in
                secrets?[kind.rawValue].map { "\($0) \(kind.rawValue)\($0 == 1 ? "" : "s")" }
            }
            return "\(file) deployed: \(counts.isEmpty ? "no secrets" : counts.joined(separator: ", "))"
        case .accepted: return "\(file) accepted"
        case .refused:
            let named = keyPathSupplied == true && !place.isEmpty ? "at or near " + place : place
            return "\(file) refused: \(named)code \(code.map(String.init) ?? "unknown"): \(message ?? "")"
        }
    }

    private var help: [String] {
        let explained = meaning.map { meaning in [[name, meaning].compactMap { $0 }.joined(separator: ": ")] } ?? []
        return explained + [suggestion, remedy].compactMap { $0 }
    }

    /// An app's words steer no terminal.
    private static func onOneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
