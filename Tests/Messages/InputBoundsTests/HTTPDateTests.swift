import Foundation
import InputBounds
import Testing

/// Dates as HTTP writes them.
struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Sat, 31 Jan 2026 12:00:07 GMT", 1_769_860_807),
    ])
    func aDateIsReadAndWritten(text: String, seconds: TimeInterval) {
        #expect(HTTPDate.date(text) == Date(timeIntervalSince1970: seconds))
        #expect(HTTPDate.text(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        "", "784111777", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:4937: GMT",
    ])
    func whatIsNoDateIsNone(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }
}
