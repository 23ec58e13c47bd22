import Foundation
import InputBounds

/// How long a server asks to be left alone (RFC 9110 §10.2.3).
enum RetryAfter {
    /// A number of seconds; or a moment, which counts from the moment that the server says it is: the device's own clock may
    /// be another.
    ///
    /// Nothing where neither can be read.
    static func seconds(_ headers: [String: String]) -> Int? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Int(text) { return seconds }
        guard let moment = HTTPDate.date(text), let now = headers["date"].flatMap(HTTPDate.date) else { return nil }
        return Int(moment.timeIntervalSince(now).rounded(.up))
    }
}
