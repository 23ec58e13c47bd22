/// What a device leaves with its server to have it kept: sealed, and shown to nobody.
package enum EscrowedToken: String, Sendable, CaseIterable {
    /// The device alone is given it, when it asks: a Mac needs it to make users who may start it.
    case bootstrap
    /// Leaves in a `ClearPasscode` to its device, and nowhere else.
    case unlock

    /// Of a device's token there is the present one alone.
    package static let sealVersion = 1

    /// The name under which a device's token is sealed: elsewhere it does not open.
    ///
    /// No name of a secret has a colon.
    package func sealName(of device: String) -> String { "\(rawValue)-token:\(device)" }

    /// The token and the device whose name this is; nothing for another thing that is sealed.
    package static func place(sealedAs name: String) -> (token: EscrowedToken, device: String)? {
        for token in allCases where name.hasPrefix(token.sealName(of: "")) {
            return (token, String(name.dropFirst(token.sealName(of: "").count)))
        }
        return nil
    }
}
