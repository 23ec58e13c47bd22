package import DeviceMessages
package import Foundation
package import InputBounds

/// What apps counted, as a device answers it to ManagedApplicationFeedback.
///
/// It is kept if the device deleted it by the command, since it is not reported anywhere else. Each answer is kept
/// once, because each life has a name: the device's own, or one computed from the command.
package struct AnsweredFeedback: Sendable, Equatable {
    /// The key of an answer that holds it, which is the command's name as well.
    static let key = AppQuery.Kind.feedback.rawValue

    package let lives: [AppFeedbackStatus]

    /// Reads an answer; what of it is no feedback of an app within its bounds is left out, and stays in the answer alone.
    ///
    /// - Parameters:
    ///   - contents: the keys of the answer that belong to the command.
    ///   - command: the command, as it was queued.
    ///   - now: when the answer came.
    package init(in contents: PropertyListValue, to command: QueuedCommand, at now: Date) {
        guard Self.deletes(command) else {
            lives = []
            return
        }
        let elements = (contents[Self.key]?.array ?? []).prefix(AppCommandBounds.most)
        lives = elements.enumerated().compactMap { index, element in
            Self.life(element, named: "\(command.uuid).\(index + 1)", since: command.created, now)
        }
    }

    private static func deletes(_ command: QueuedCommand) -> Bool {
        guard command.requestType == key, let sent = try? Command(parsing: command.document) else { return false }
        return (try? AppQuery(sent.request))?.deletesFeedback ?? false
    }

    /// `name` and `began` serve where the device, as Apple's, does not say them.
    private static func life(
        _ element: PropertyListValue, named name: String, since began: Date, _ now: Date
    ) -> AppFeedbackStatus? {
        guard let app = element["Identifier"]?.string, lengths.contains(app.utf8.count),
            case let life = element["MartletLife"]?.string ?? name, lifeLengths.contains(life.utf8.count),
            let feedback = element["Feedback"], let bytes = bytes(of: feedback)
        else { return nil }
        let to = min(date(element["MartletTo"]) ?? now, now)
        let from = min(date(element["MartletFrom"]) ?? began, to)
        return AppFeedbackStatus(
            life: life, app: app, feedback: bytes, configuration: configuration(element["MartletConfiguration"]),
            from: from, to: to, refused: max(0, element["MartletRefused"]?.int ?? 0))
    }

    private static let lengths = 1...AppCommandBounds.longestIdentifier
    private static let lifeLengths = 1...64
    /// To the end of the year 9999, in seconds since 1970.
    private static let years: ClosedRange<TimeInterval> = 0...253_402_300_799

    /// As it is kept: as XML, or where that is beyond the bound in the form that takes less.
    private static func bytes(of feedback: PropertyListValue) -> Data? {
        let text = feedback.xml()
        if (try? AppFeedbackStatus.dictionary(text)) != nil { return text }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard text.count > AppFeedbackStatus.limits.bytes, let bytes = try? encoder.encode(feedback),
            (try? AppFeedbackStatus.dictionary(bytes)) != nil
        else { return nil }
        return bytes
    }

    /// A moment, in whole seconds: beyond them nobody reckons with what a device says.
    private static func date(_ value: PropertyListValue?) -> Date? {
        let date = value?.date ?? value?.string.flatMap { PropertyListValue.date(parsing: $0) }
        guard let seconds = date?.timeIntervalSince1970, years.contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: seconds.rounded(.down))
    }

    /// The version of the dictionary, in hexadecimal digits as devices say it; anything else says nothing.
    private static func configuration(_ value: PropertyListValue?) -> String {
        guard let text = value?.string, text.utf8.count <= 64,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return "" }
        return text
    }
}
