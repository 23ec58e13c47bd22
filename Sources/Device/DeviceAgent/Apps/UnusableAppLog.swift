package import Logging
import Synchronization

/// Logs what cannot be used as an app: each directory once for each reason, however often it is looked at.
///
/// What was repaired or removed is forgotten, and logged again when it comes back.
package final class UnusableAppLog: Sendable {
    private static let passing = Set([AppRule.absent, .program].map(\.description))

    private let known = Mutex<Set<UnusableApp>>([])
    private let log: Logger

    package init(_ log: Logger) { self.log = log }

    /// Logs what was not there at the last look.
    package func note(_ found: [UnusableApp]) {
        let new = known.withLock { known -> [UnusableApp] in
            defer { known = Set(found) }
            return found.filter { !known.contains($0) }
        }
        for app in new {
            // What is being copied has no Info.plist or no program yet.
            log.log(
                level: Self.passing.contains(app.reason) ? .notice : .warning,
                "a directory is not used as an app",
                metadata: ["directory": "\(app.directory)", "reason": "\(app.reason)"])
        }
    }
}
