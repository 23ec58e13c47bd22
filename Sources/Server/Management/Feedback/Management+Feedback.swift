import AppSpecification
import DeviceMessages
package import Foundation
import InputBounds

extension Management {
    /// Queues the command that has a device's apps hand their feedback over; one app's, or all of them.
    package func fetchFeedback(
        of app: String?, from device: String, author: String
    ) async throws -> Outcome<QueuedCommand, AdminRefusal> {
        let fetch = FetchFeedback(app: app)
        var isAppKnown = true
        if let app { isAppKnown = try await store.app(app) != nil }
        let facts = FeedbackFacts(
            isAppKnown: isAppKnown, isDeviceKnown: try await store.device(device) != nil,
            tellsFeedback: try await tellsFeedback(device))
        if let refusal = fetch.refusal(knowing: facts) { return .refused(refusal) }
        return try await enqueue(fetch.request, for: device, author: author)
    }

    /// What apps counted, the newest first.
    package func feedback(
        _ filter: FeedbackFilter, _ page: PageRequest
    ) async throws -> Outcome<Page<FeedbackRecord>, AdminRefusal> {
        if let app = filter.app, try await store.app(app) == nil { return .refused(.unknownApp) }
        if let device = filter.device, try await store.device(device) == nil { return .refused(.unknownDevice) }
        return .accepted(try await store.feedback(filter, page))
    }

    /// The moment from which on sums that are asked for since a moment are made; without one, a week ago.
    ///
    /// It is the beginning of an hour within the last week, and of a day before.
    package func feedbackIsSummed(since asked: Date?) -> Date {
        FeedbackInterval.beginning(of: asked ?? moment.addingTimeInterval(-FeedbackLimits.summedSeconds), now: moment)
    }

    /// The sums of an app's numbers since a moment: of the keys that its specification names, and of so many others.
    ///
    /// With a version, only what came with that version of its configuration, or a later one, is summed.
    package func feedbackTotals(
        of app: String, since: Date, sinceVersion version: FeedbackVersion? = nil
    ) async throws -> Outcome<FeedbackTotals, AdminRefusal> {
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        return .accepted(
            try await store.feedbackTotals(
                of: app, since: since, sinceVersion: version, naming: namedFeedback(of: app),
                keys: FeedbackLimits.keys, dictionaries: FeedbackLimits.dictionaries))
    }

    /// The keys of feedback that the specification of the app's newest version names.
    private func namedFeedback(of app: String) async throws -> [String] {
        guard let newest = try await specifications(of: app).value?.first,
            let document = try await specification(of: app, version: newest.version)
        else { return [] }
        return (try? AppSpecification(parsing: document.bytes))?.feedback.map(\.key) ?? []
    }

    /// The devices on which an app's number came to more than `bound`, with one of these dictionaries if any are named.
    package func feedbackOutliers(
        of app: String, counting key: String, above bound: Double, since: Date,
        sinceVersion version: FeedbackVersion? = nil, configurations: [String]?
    ) async throws -> [FeedbackOutlier] {
        try await store.devices(
            counting: key, of: app, above: bound, since: since, sinceVersion: version, configurations: configurations,
            limit: FeedbackLimits.told)
    }

    private func tellsFeedback(_ device: String) async throws -> Bool {
        guard let value = try await reported(ClientCapabilities.name, by: device) else { return false }
        return (try? ClientCapabilities(value))?.tellsFeedback ?? false
    }
}
