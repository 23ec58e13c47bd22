import Crypto
import DeviceMessages
import Foundation
import InputBounds

extension WebhookMessage {
    /// The most bytes of feedback in an event; longer feedback is left out, and the event says so.
    ///
    /// Feedback usually takes less: only a binary property list that refers to one value many times exceeds this.
    static let mostFeedbackBytes = 122_880

    /// An event with the feedback of an app on a device, in the form that the API has.
    ///
    /// The identifier is computed from the device and the life, so the same feedback always has the same one, also when
    /// a restored server receives a report again.
    init(_ record: FeedbackRecord, sent: Date, limit: Int = Self.mostFeedbackBytes) {
        let status = record.status
        var data: [String: JSONValue] = [
            "number": .integer(Int64(record.number)), "device": .string(record.device), "app": .string(status.app),
            "life": .string(status.life), "from": .string(status.from.formatted(.iso8601)),
            "to": .string(status.to.formatted(.iso8601)), "received": .string(record.received.formatted(.iso8601)),
            "refused": .integer(Int64(status.refused)),
        ]
        if !status.configuration.isEmpty { data["configuration"] = .string(status.configuration) }
        let entries = (try? AppFeedbackStatus.dictionary(status.feedback)) ?? [:]
        let words = JSONValue(describing: .dictionary(entries))
        if words.encoded().count <= limit { data["feedback"] = words } else { data["isCut"] = .boolean(true) }
        self.init(
            id: Self.identifier(of: record), type: WebhookEvents.feedback, time: record.received, data: data,
            sent: sent)
    }

    private static func identifier(of record: FeedbackRecord) -> String {
        var hash = SHA256()
        for part in [WebhookEvents.feedback, record.device, record.status.life] {
            hash.update(data: Data("\(part.utf8.count):".utf8))
            hash.update(data: Data(part.utf8))
        }
        return "msg_" + Base32.text(Data(hash.finalize()).prefix(20))
    }
}
