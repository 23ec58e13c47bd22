package import Foundation

/// The feedback of apps, as a store keeps it.
///
/// `StatusStore.recordStatus` keeps what a report brings: each life of a device once.
package protocol FeedbackStore: Sendable {
    /// The newest first.
    func feedback(_ filter: FeedbackFilter, _ page: PageRequest) async throws -> Page<FeedbackRecord>
    /// The sums of an app's numbers over the lives that ended since a moment, by key and version of the dictionary.
    func feedbackTotals(of app: String, since: Date, limit: Int) async throws -> [FeedbackTotal]
    /// The sums of an app's number over the lives that ended since a moment, by intervals of so many seconds since 1970 and
    /// by version of the dictionary: the newest ones, the oldest of them first.
    func feedbackSteps(
        of app: String, counting key: String, seconds: Int, since: Date, limit: Int
    ) async throws -> [FeedbackStep]
    /// The devices on which an app's number came to more than `bound` since a moment, those with most first.
    ///
    /// Where `configurations` are named, only lives with one of these dictionaries count.
    func devices(
        counting key: String, of app: String, above bound: Double, since: Date, configurations: [String]?, limit: Int
    ) async throws -> [FeedbackOutlier]
}
