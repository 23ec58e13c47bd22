import Foundation
import InputBounds

/// When an identity token counts.
enum TokenTimes {
    /// A token counts for so long after its end, by a clock that is late.
    static let leeway: TimeInterval = 60
    /// A provider's clock may be ahead by so much: a few minutes, as RFC 7519 §4.1.4 has it.
    static let ahead: TimeInterval = 300
    /// A token is used at once; one that was made long ago is somebody's copy.
    static let longestAge: TimeInterval = 600

    /// Judges `exp` and `iat`, which have to be there, and `nbf`.
    static func judge(_ claims: JSONValue, now: Date) throws(OpenIDRefusal) {
        let now = now.timeIntervalSince1970
        guard let expires = try time("exp", of: claims) else { throw missing("exp") }
        guard let issued = try time("iat", of: claims) else { throw missing("iat") }
        guard now < expires + leeway else { throw off("exp", now - expires, "in the past") }
        guard issued <= now + ahead else { throw off("iat", issued - now, "in the future") }
        guard issued >= now - longestAge else { throw off("iat", now - issued, "in the past") }
        if let begins = try time("nbf", of: claims), begins > now + ahead {
            throw off("nbf", begins - now, "in the future")
        }
    }

    /// The seconds of a claim: a number, or a text of digits as some providers write it.
    private static func time(_ claim: String, of claims: JSONValue) throws(OpenIDRefusal) -> Double? {
        guard let value = claims.member(claim) else { return nil }
        if let seconds = value.double { return seconds }
        if let text = value.string, (1...12).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let seconds = Double(text)
        {
            return seconds
        }
        throw OpenIDRefusal.expired.because("“\(claim)” is not a number of seconds")
    }

    private static func missing(_ claim: String) -> OpenIDRefusal {
        OpenIDRefusal.expired.because("“\(claim)” is missing; the provider has to say it")
    }

    private static func off(_ claim: String, _ seconds: Double, _ direction: String) -> OpenIDRefusal {
        // A provider may write any number.
        let much = Int(exactly: seconds.rounded()).map { "\($0) seconds" } ?? "a very long time"
        return OpenIDRefusal.expired.because(
            "“\(claim)” lies \(much) \(direction) by this server's clock; compare both clocks, and sign in again")
    }
}
