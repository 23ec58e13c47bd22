package import DeviceMessages

/// `com.apple.configuration.management.status-subscriptions`: which items the server wants to hear of.
package enum StatusSubscriptionsSystem: DeviceSystem {
    package static let name = "status-subscriptions"
    package static let configurations = [StatusSubscriptions.type]
    package static let nothing: [String] = []

    package static func judge(
        _ declaration: Declaration, in set: JudgedSet, _ desired: inout [String]
    ) -> Judgment {
        guard let names = try? declaration.read(StatusSubscriptions.self).names else {
            return .invalid(.about(declaration, "Error.InvalidPayload"))
        }
        desired += names.filter { !desired.contains($0) }
        return .valid(.unknownKeys(StatusSubscriptions.self, declaration))
    }

    package static func settle(
        _ desired: [String], _ had: HadAssets, previous: Applied, in applied: inout Applied
    ) {
        applied.subscriptions = desired
    }
}
