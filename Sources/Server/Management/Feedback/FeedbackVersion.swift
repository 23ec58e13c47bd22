package import Foundation

/// The version of a configuration that an app had as its dictionary.
package struct FeedbackVersion: Sendable, Equatable {
    package let configuration: String
    package let number: Int

    package init(configuration: String, number: Int) {
        self.configuration = configuration
        self.number = number
    }

    /// As many names are listed where one has to be chosen.
    static let listed = 20

    /// The version of the only configuration that an app has; where there are several, the refusal lists them.
    static func ofOnly(_ number: Int, among names: [String]) -> Outcome<FeedbackVersion, AdminRefusal> {
        guard let name = names.first else {
            return .refused(.invalid(rule: "The app has no configuration, and so no version of one."))
        }
        guard names.count == 1 else {
            let list = names.prefix(listed).joined(separator: ", ") + (names.count > listed ? ", …" : "")
            return .refused(.invalid(rule: "The app has several configurations; name one of them: \(list)."))
        }
        return .accepted(FeedbackVersion(configuration: name, number: number))
    }
}

extension Management {
    /// A version of an app's configuration of this name; without a name of the only one that the app has.
    ///
    /// A version need not be there any more, or yet.
    package func feedbackVersion(
        _ number: Int, of name: String?, app: String
    ) async throws -> Outcome<FeedbackVersion, AdminRefusal> {
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        if let name {
            let found = try await store.configurationVersions(app: app, name: name, PageRequest(limit: 1))
            if let refusal = found.refusal { return .refused(refusal) }
            return .accepted(FeedbackVersion(configuration: name, number: number))
        }
        let found = try await store.configurations(of: app, PageRequest(limit: FeedbackVersion.listed + 1))
        switch found {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let page): return FeedbackVersion.ofOnly(number, among: page.items.map(\.name))
        }
    }

    /// How many hand-overs since a moment have the key, and no version of a configuration that the server knows.
    package func feedbackOfUnknownVersion(of app: String, counting key: String?, since: Date) async throws -> Int {
        try await store.feedbackOfUnknownVersion(of: app, counting: key, since: since)
    }
}
