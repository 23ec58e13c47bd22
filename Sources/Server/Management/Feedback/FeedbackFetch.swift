import DeviceMessages

/// What must be known before a device is asked for the feedback of its apps.
struct FeedbackFacts: Sendable, Equatable {
    /// Whether the app that is named is known; so is none.
    let isAppKnown: Bool
    let isDeviceKnown: Bool
    /// Whether the device says that it tells feedback.
    let tellsFeedback: Bool
}

extension FetchFeedback {
    /// Why a device is not asked; nothing where it is.
    func refusal(knowing facts: FeedbackFacts) -> AdminRefusal? {
        guard facts.isDeviceKnown else { return .unknownDevice }
        guard facts.isAppKnown else { return .unknownApp }
        guard facts.tellsFeedback else {
            return .invalid(
                rule: """
                    The device does not say the feature \(AppFeedbackStatus.feature): update its agent, and ask again.
                    """)
        }
        return nil
    }
}
