import Foundation

/// Which of the published specifications speaks for a version of the app.
///
/// Judges what that version would refuse: the one published for it, else that of the newest version before it, for apps
/// publish when something changed. A version that is older than all of them is judged by none.
package struct SpecificationChoice: Sendable {
    /// The newest first.
    private let versions: [String]

    package init(_ versions: [String]) {
        self.versions = versions.sorted { Self.isNewer($0, than: $1) }
    }

    /// The version whose specification judges for `version`.
    package func judge(of version: String) -> String? {
        versions.contains(version) ? version : versions.first { !Self.isNewer($0, than: version) }
    }

    /// The version whose specification explains what `version` says: that which judges, else the oldest; of a version
    /// that is not known, the newest.
    package func nearest(to version: String?) -> String? {
        guard let version else { return versions.first }
        return judge(of: version) ?? versions.last
    }

    /// Compares versions number by number: 2.10 is newer than 2.9.
    static func isNewer(_ one: String, than other: String) -> Bool {
        one.compare(other, options: .numeric) == .orderedDescending
    }

    /// The order of versions in a list: the newest first; those that are the same by their numbers by their bytes, so that
    /// each has one place.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        switch one.compare(other, options: .numeric) {
        case .orderedDescending: true
        case .orderedAscending: false
        case .orderedSame: one.utf8.lexicographicallyPrecedes(other.utf8)
        }
    }
}
