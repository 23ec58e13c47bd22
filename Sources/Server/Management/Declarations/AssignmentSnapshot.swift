package import Foundation

/// All that the manifest of a set of groups depends on, read at one moment.
package struct AssignmentSnapshot: Sendable, Equatable {
    /// An assignment with what it refers to.
    package struct Entry: Sendable, Equatable {
        package let app: App
        package let configuration: ConfigurationReference?
        /// The assignment made last counts.
        package let order: Int

        package init(app: App, configuration: ConfigurationReference?, order: Int) {
            self.app = app
            self.configuration = configuration
            self.order = order
        }
    }

    /// The present bytes of a configuration, by digest.
    package struct ConfigurationReference: Sendable, Equatable {
        package let sha256: String
        package let size: Int
        package let encoding: PropertyListEncoding

        package init(sha256: String, size: Int, encoding: PropertyListEncoding) {
            self.sha256 = sha256
            self.size = size
            self.encoding = encoding
        }
    }

    package let entries: [Entry]
    /// The last change of anything assigned to any of the groups.
    package let changed: Date

    package init(entries: [Entry], changed: Date) {
        self.entries = entries
        self.changed = changed
    }

    /// One entry for each app, in the order of bundle identifiers: of several, the assignment made last.
    package var effective: [Entry] {
        var latest: [String: Entry] = [:]
        for entry in entries {
            if let other = latest[entry.app.bundleIdentifier], other.order > entry.order { continue }
            latest[entry.app.bundleIdentifier] = entry
        }
        return latest.values.sorted {
            $0.app.bundleIdentifier.utf8.lexicographicallyPrecedes($1.app.bundleIdentifier.utf8)
        }
    }
}
