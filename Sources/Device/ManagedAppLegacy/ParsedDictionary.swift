import AppMessages
package import Foundation
import InputBounds

/// A dictionary as a property list and as values, so that neither is made twice.
///
/// The values are never changed, and are of the types that a property list has.
package struct ParsedDictionary: @unchecked Sendable {
    /// The property list.
    package let data: Data

    /// What is in it.
    package let dictionary: [String: Any]

    /// Reads what the agent sends; nil if that is no dictionary.
    package init?(parsing data: Data) {
        let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        guard let dictionary = list as? [String: Any] else { return nil }
        self.data = data
        self.dictionary = dictionary
    }

    /// Holds what the app sets to the bounds of feedback.
    package init(checking dictionary: [String: Any]) throws(ManagedAppFeedbackError) {
        // First of all: what is nested endlessly must reach no encoder.
        try Self.check(dictionary, depth: 1)
        guard
            let data = try? PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
        else { throw .notAPropertyList }
        guard data.count <= FeedbackBounds.bytes else { throw .tooLarge(bytes: data.count) }
        // By the agent's own rule: feedback that the agent refuses would be sent again and again.
        guard (try? PropertyListValue(parsing: data, limits: Self.limits)) != nil else {
            let expanded = Self.expandedSize(of: dictionary)
            if expanded > FeedbackBounds.bytes { throw .tooLarge(bytes: expanded) }
            throw .notAPropertyList
        }
        self.data = data
        self.dictionary = dictionary
    }

    private static let limits = InputLimits(
        bytes: FeedbackBounds.bytes, depth: FeedbackBounds.depth, objects: FeedbackBounds.bytes)

    // A binary property list has a text once that is in it several times; written out, each counts.
    private static func expandedSize(of dictionary: [String: Any]) -> Int {
        (try? PropertyListSerialization.data(fromPropertyList: dictionary, format: .xml, options: 0))?.count ?? 0
    }

    private static func check(_ value: Any, depth: Int) throws(ManagedAppFeedbackError) {
        if isScalar(value) { return }
        guard depth <= FeedbackBounds.depth else { throw .tooDeep }
        if let dictionary = value as? [String: Any] {
            for member in dictionary.values { try check(member, depth: depth + 1) }
        } else if let array = value as? [Any] {
            for element in array { try check(element, depth: depth + 1) }
        } else {
            throw .notAPropertyList
        }
    }

    // The types that Foundation takes into user defaults.
    private static func isScalar(_ value: Any) -> Bool {
        switch value {
        case is String, is Data, is Date, is NSString, is NSData, is NSDate, is NSNumber: true
        case is Bool, is Double, is Float, is Int, is UInt: true
        case is Int8, is Int16, is Int32, is Int64, is UInt8, is UInt16, is UInt32, is UInt64: true
        default: false
        }
    }
}
