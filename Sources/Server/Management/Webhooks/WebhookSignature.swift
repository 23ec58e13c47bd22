import Crypto
package import Foundation
import InputBounds

/// What a webhook's events are signed with, as Standard Webhooks write it: `whsec_` and Base64.
package struct WebhookSecret: Sendable {
    package static let byteCount = 32

    let bytes: Data

    init(bytes: Data) { self.bytes = bytes }

    package var text: String { "whsec_" + bytes.base64EncodedString() }

    /// `v1,` and the HMAC over identifier, time and body.
    func signature(of message: WebhookMessage) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        code.update(data: Data("\(message.id).\(message.timestamp).".utf8))
        code.update(data: message.body)
        return "v1," + Data(code.finalize()).base64EncodedString()
    }
}

/// What is sent: one event, whose identifier is the same each time that it is sent.
package struct WebhookMessage: Sendable, Equatable {
    package let id: String
    /// When it is sent, in seconds since 1970: receivers refuse old ones.
    package let timestamp: Int
    package let body: Data

    package init(id: String, timestamp: Int, body: Data) {
        (self.id, self.timestamp, self.body) = (id, timestamp, body)
    }

    /// Tells of an entry of the audit log: who did what to what and when.
    ///
    /// Details stay on the server, except those of an alert.
    init(_ entry: AuditEntry, sent: Date) {
        let data: [String: JSONValue] = [
            "sequence": .integer(Int64(entry.sequence)), "actor": .string(entry.actor),
            "action": .string(entry.action), "subject": .string(entry.subject),
            "hash": .string(Hexadecimal.text(entry.hash)),
        ]
        self.init(
            id: "msg_" + Base32.text(entry.hash.prefix(20)), type: entry.action, time: entry.time,
            data: data.merging(Self.alertMembers(of: entry)) { member, _ in member }, sent: sent)
    }

    /// A test, which tells of nothing.
    init(test number: Int, of webhook: String, created: Date, sent: Date) {
        self.init(
            // The identifier includes the time of the test: after a restore, numbers repeat.
            id: "msg_test_\(webhook)_\(number)_\(Int(created.timeIntervalSince1970))",
            type: "webhook.test", time: created,
            data: ["webhook": .string(webhook)], sent: sent)
    }

    init(id: String, type: String, time: Date, data: [String: JSONValue], sent: Date) {
        self.id = id
        timestamp = Int(sent.timeIntervalSince1970)
        body = JSONValue.object([
            "type": .string(type), "timestamp": .string(time.formatted(.iso8601)), "data": .object(data),
        ]).encoded()
    }

    /// The headers by which a receiver knows that it is genuine; two signatures while two secrets count.
    func headers(signedBy secrets: [WebhookSecret]) -> [(name: String, value: String)] {
        [
            ("content-type", "application/json"), ("user-agent", "martlet"), ("webhook-id", id),
            ("webhook-timestamp", "\(timestamp)"),
            ("webhook-signature", secrets.map { $0.signature(of: self) }.joined(separator: " ")),
        ]
    }
}
