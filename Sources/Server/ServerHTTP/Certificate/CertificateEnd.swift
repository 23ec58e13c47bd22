package import Foundation

/// The warnings before the end of a certificate: 30, 7 and 1 days before it, and after it.
package enum CertificateEnd {
    package static let warningDays = [30, 7, 1]

    /// The least of these numbers of days within which the certificate ends; 0 after its end, nothing earlier.
    package static func warning(
        _ end: Date, now: Date, amongDays numbers: [Int] = CertificateEnd.warningDays
    ) -> Int? {
        let left = end.timeIntervalSince(now)
        guard left > 0 else { return 0 }
        return numbers.filter { left <= Double($0) * 86_400 }.min()
    }
}

/// Which warnings were given: each once for one end.
package struct CertificateEndWarnings: Sendable {
    private var given: (end: Date, days: Int)?

    package init() {}

    /// The warning that is due now and was not given yet.
    package mutating func due(_ end: Date, now: Date) -> Int? {
        guard let days = CertificateEnd.warning(end, now: now) else {
            given = nil
            return nil
        }
        if let given, given.end == end, given.days <= days { return nil }
        given = (end, days)
        return days
    }
}
