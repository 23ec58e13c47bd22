import AdminMessages
import Foundation
import InputBounds

/// The name that was probably meant by one that the server does not know.
extension Server {
    /// Of more things none is suggested that is further down the list.
    private static let mostCompared = 1_000

    /// The failure with the nearest name that there is, if it is about a name that there is not.
    func suggesting(_ failure: Failure) async -> Failure {
        // Who may not list the things gets no suggestion, and the failure all the same.
        guard let missing = failure.missing, let name = missing.name, let known = try? await names(like: missing),
            let nearest = NearestWord.to(name, among: known.filter { $0 != name })
        else { return failure }
        return failure.suggesting(nearest)
    }

    /// The names of all things of the kind of one that is not there.
    private func names(like missing: MissingThing) async throws -> [String] {
        let most = Self.mostCompared
        switch missing.kind {
        case .administrator: return try await (list("administrators", first: most) as [Administrator]).map(\.name)
        case .app: return try await (list("apps", first: most) as [App]).map(\.bundleIdentifier)
        case .configuration:
            guard let app = MissingName.of(.app, in: missing.path) else { return [] }
            return try await (list("apps", app, "configurations", first: most) as [ConfigurationSummary]).map(\.name)
        case .device: return try await (list("devices", first: most) as [DeviceSummary]).compactMap(\.name)
        case .group: return try await (list("groups", first: most) as [Group]).map(\.name)
        case .person: return try await (list("people", first: most) as [Person]).map(\.userName)
        case .secret: return try await (list("secrets", first: most) as [Secret]).map(\.name)
        case .setting:
            guard let kind = MissingName.of(.settingKind, in: missing.path) else { return [] }
            return try await (list("settings", query: [("kind", kind)], first: most) as [Setting]).map(\.name)
        case .settingKind: return try await (list("setting-kinds", first: most) as [SettingKind]).map(\.name)
        case .webhook: return try await (list("webhooks", first: most) as [Webhook]).map(\.name)
        default: return []
        }
    }
}
