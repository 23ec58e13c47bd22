package import Foundation

/// An event about a change, with its kind and names and never a value. `GET /events`
package struct ChangeEvent: Codable, Hashable, Sendable {
    /// The name of stream events whose data is a change.
    package static let name = "change"
    /// The name of stream events after a gap: the client must read everything again.
    package static let reset = "reset"
    package static let mediaType = "text/event-stream"

    /// The position in the stream, after which a client continues when it connects again.
    package var id: String
    /// An action of the audit log, such as `configuration.set`, what a device did, such as `device.report`, or
    /// `job.progress`.
    package var kind: String
    package var time: Date
    /// By its bundle identifier.
    package var app: String?
    /// What beside app, group and device it is about: a configuration, a secret, a person, a job.
    package var name: String?
    package var version: Int?
    package var group: String?
    package var device: String?
    /// The actor; only clients that may read the audit log get it.
    package var actor: String?
    /// The number of its entry in the audit log, for the same clients.
    package var sequence: Int?

    package init(
        id: String, kind: String, time: Date, app: String? = nil, name: String? = nil, version: Int? = nil,
        group: String? = nil, device: String? = nil, actor: String? = nil, sequence: Int? = nil
    ) {
        self.id = id
        self.kind = kind
        self.time = time
        self.app = app
        self.name = name
        self.version = version
        self.group = group
        self.device = device
        self.actor = actor
        self.sequence = sequence
    }
}

/// Reads a stream of events as HTML describes it, line by line.
package struct EventStreamReader: Sendable {
    /// One event of the stream.
    package struct Event: Hashable, Sendable {
        package var name: String
        package var data: String
    }

    /// A longer line is none of ours.
    package static let longestLine = 65_536

    /// The ID of the last event, after which to continue on a new connection.
    package private(set) var lastID: String?
    private var id: String?
    private var name = ""
    private var data: [String] = []
    private var line: [UInt8] = []

    package init(after lastID: String? = nil) {
        self.lastID = lastID
        id = lastID
    }

    /// Takes what came; answers the events that are whole by now.
    ///
    /// Nothing if the stream is none of events.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Event]? {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.longestLine else { return nil }
                if byte != UInt8(ascii: "\r") { line.append(byte) }
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line = []
            if let event = take(text) { events.append(event) }
        }
        return events
    }

    private mutating func take(_ line: String) -> Event? {
        guard !line.isEmpty else { return end() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count == 2 ? parts[1] : ""
        if value.hasPrefix(" ") { value = value.dropFirst() }
        switch parts[0] {
        case "id": id = String(value)
        case "event": name = String(value)
        case "data": data.append(String(value))
        // A comment, or a field that means nothing here.
        default: break
        }
        return nil
    }

    private mutating func end() -> Event? {
        defer { (name, data) = ("", []) }
        lastID = id
        guard !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
