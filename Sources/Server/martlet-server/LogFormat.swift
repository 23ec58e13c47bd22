import Foundation
import InputBounds
import Logging

/// How the log is written to the standard error.
enum LogFormat: String, Sendable {
    /// For people and for systemd's journal.
    case text
    /// For log collectors: one JSON object in each line.
    case json

    func logger(_ level: SharedLogLevel) -> Logger {
        Logger(label: "martlet-server") { label in
            switch self {
            case .text: LevelledLog(StreamLogHandler.standardError(label: label), level)
            case .json: LevelledLog(JSONLog(), level)
            }
        }
    }
}

/// Writes each entry as one JSON object: `time`, `level`, `message`, and what belongs to it as members beside these.
private struct JSONLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(Self.value)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        members["time"] = .string(Date().formatted(format))
        members["level"] = .string(event.level.rawValue)
        members["message"] = .string("\(event.message)")
        // One write, so that lines of several threads do not run into one another.
        try? FileHandle.standardError.write(contentsOf: JSONValue.object(members).encoded() + Data("\n".utf8))
    }

    private static func value(_ value: Logger.Metadata.Value) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string("\(value)")
        case .array(let values): .array(values.map(Self.value))
        case .dictionary(let members): .object(members.mapValues(Self.value))
        }
    }
}
