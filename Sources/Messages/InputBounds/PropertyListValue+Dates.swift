package import Foundation

extension PropertyListValue {
    /// A moment as `YYYY-MM-DDThh:mm:ssZ`, which JSON documents of declarative management use as well.
    package static func text(of date: Date) -> String {
        String(decoding: PropertyListDate.text(date), as: UTF8.self)
    }

    /// Reads a moment written as `YYYY-MM-DDThh:mm:ssZ`, and nothing else.
    package static func date(parsing text: String) -> Date? {
        let bytes = Array(text.utf8)
        return try? PropertyListDate.parse(bytes.span)
    }
}
