/// What is kept under master keys that are not here, by name.
package struct LockedSecrets: Sendable, Equatable {
    package let secrets: [String]
    /// Webhooks whose secret it is.
    package let webhooks: [String]
    /// The topic of the push credential.
    package let pushTopic: String?
    /// How many tokens that devices left.
    package let escrowedTokens: Int

    package init(secrets: [String], webhooks: [String], pushTopic: String?, escrowedTokens: Int = 0) {
        self.escrowedTokens = escrowedTokens
        self.secrets = secrets
        self.webhooks = webhooks
        self.pushTopic = pushTopic
    }
}
