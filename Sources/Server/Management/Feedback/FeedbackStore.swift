package import Foundation

/// The feedback of apps, as a store keeps it.
///
/// `StatusStore.recordStatus` keeps what a report brings: each life of a device once.
package protocol FeedbackStore: Sendable {
    /// The newest first.
    func feedback(_ filter: FeedbackFilter, _ page: PageRequest) async throws -> Page<FeedbackRecord>
    /// The sums of an app's numbers over the lives that ended since a moment, by key and version of the dictionary.
    ///
    /// Sums are kept by day, and for `FeedbackLimits.hourlySeconds` by hour: `since` is the beginning of one, and within
    /// an hour counts as its beginning. A sum is of all lives that were reported, also of devices that were withdrawn
    /// since, and of lives beyond `FeedbackLimits.lives`; with the app its sums are removed. A life that ended before
    /// `FeedbackLimits.seconds` counts as one of the oldest day. Numbers beyond the bounds of a day are in no sum, and
    /// then the totals are cut. Where several versions are summed together, a device that had several of them may count
    /// more than once, but devices are never more than those that count the key at all.
    ///
    /// The named keys come first, then at most `keys` others: those that most devices count. The `dictionaries` versions
    /// that most devices had get sums of their own; all others are summed together. Where the same number of devices
    /// count several keys, or had several versions, the first of each device comes before the second of any device: one
    /// device cannot push out the others.
    ///
    /// With a version, only lives with that version of its configuration, or a later one, are summed.
    func feedbackTotals(
        of app: String, since: Date, sinceVersion version: FeedbackVersion?, naming named: [String], keys: Int,
        dictionaries: Int
    ) async throws -> FeedbackTotals
    /// The sums of a number of an app, by interval and by version of the dictionary as above, the oldest first.
    ///
    /// A life counts for the interval in which it ended. An interval is an hour or a day; they are counted since 1970, and
    /// `since` is the start of one.
    func feedbackSteps(
        of app: String, counting key: String, seconds: Int, since: Date, intervals: Int, dictionaries: Int
    ) async throws -> [FeedbackStep]
    /// The devices on which an app's number came to more than `bound` since a moment, those with most first.
    ///
    /// These sums are of the lives that are kept, and cost as much as there are since then.
    ///
    /// Where `configurations` are named, only lives with one of these dictionaries count.
    /// With a version, only those with that version of its configuration, or a later one, count.
    func devices(
        counting key: String, of app: String, above bound: Double, since: Date, sinceVersion version: FeedbackVersion?,
        configurations: [String]?, limit: Int
    ) async throws -> [FeedbackOutlier]
    /// The number of an app's lives since a moment whose version is not known; with a key, of those that count it.
    func feedbackOfUnknownVersion(of app: String, counting key: String?, since: Date) async throws -> Int
}
