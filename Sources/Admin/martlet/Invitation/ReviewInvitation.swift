package import AdminMessages
package import Foundation

/// An invitation for somebody outside of the fleet, such as an app's reviewer, to see the app as it is configured here.
///
/// It is a group of its own, which is given this one app, and codes or an account with which devices come into it.
package struct ReviewInvitation: Codable, Equatable, Sendable {
    /// A secret that the app gets on such a device.
    package struct GivenSecret: Codable, Equatable, Sendable {
        package let kind: AppSecretKind
        package let identifier: String

        package init(kind: AppSecretKind, identifier: String) { (self.kind, self.identifier) = (kind, identifier) }
    }

    /// The name of the invitation and of its group.
    package let invitation: String
    package let app: String
    package let name: String
    /// For whom it is.
    package let recipient: String
    package let expires: Date
    package let url: String
    package let authorityFingerprint: String
    /// One for each device; none where the reviewer signs in.
    package var codes: [String] = []
    package var account: String?
    package var password: String?
    package let configuration: String?
    /// Whether devices get the app by themselves.
    package let isInstalled: Bool
    package var secrets: [GivenSecret] = []

    package init(
        invitation: String, app: String, name: String, recipient: String, expires: Date, url: String,
        authorityFingerprint: String, configuration: String?, isInstalled: Bool
    ) {
        self.invitation = invitation
        self.app = app
        self.name = name
        self.recipient = recipient
        self.expires = expires
        self.url = url
        self.authorityFingerprint = authorityFingerprint
        self.configuration = configuration
        self.isInstalled = isInstalled
    }

    private static let prefix = "invitation-"
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567")

    /// A name that no group of another kind has.
    package static func newName(using random: inout some RandomNumberGenerator) -> String {
        prefix + String((0..<8).compactMap { _ in digits.randomElement(using: &random) })
    }

    /// Whether a group was made for an invitation: what ends with one ends for no other group.
    package static func isName(_ text: String) -> Bool {
        text.hasPrefix(prefix) && text.count == prefix.count + 8
            && text.dropFirst(prefix.count).allSatisfy(digits.contains)
    }

    /// What the reviewer types on each device, to be asked for the code or the password.
    package var command: String {
        let who = account.map { "--account \($0) " } ?? ""
        return "sudo martlet-agent enroll \(who)--url \(url) --ca-fingerprint \(authorityFingerprint)"
    }

    /// The whole invitation, for its recipient.
    package var text: String {
        let plain = Printable.line
        let devices = max(codes.count, 1)
        let codesText = [
            devices > 1
                ? "It asks for a code. Use one of these codes on each device, and each code once:"
                : "It asks for the code:",
            code(codes),
        ]
        let signIn = password.map { ["It asks for the password of the account:", code([$0])] } ?? codesText
        let arrival =
            isInstalled
            ? "The app is installed by itself, within a minute."
            : "Put the app's directory, with its Info.plist, into /opt/martlet/apps."
        let configured =
            configuration.map { "It is configured as its organization has it (\(plain($0)))" }
            ?? "It has no configuration"
        let given = secrets.map { "the \($0.kind.rawValue) \(plain($0.identifier))" }.joined(separator: ", ")
        let credentials =
            secrets.isEmpty
            ? "It is given no credentials."
            : "The device gives it \(given): there is nothing to type, and no account to make."
        return
            ([
                "# \(plain(name)), for \(plain(recipient))",
                """
                This lets \(devices == 1 ? "one device" : "\(devices) devices") of yours be managed, with \
                \(plain(name)) as its organization configures it. It is good until \(expires.shown). Keep it to \
                yourself: whoever has it can use it in your place.
                """,
                "## What to do",
                "1. Install the agent, on a device with Debian 12 or newer:",
                code(["sudo apt install ./martlet-agent_*.deb"]),
                "2. Enroll. \(devices > 1 ? "On each device" : "On the device"):", code([command]),
            ] + signIn + [
                "3. \(arrival) Then open it:", code(["martlet-agent open \(app)"]),
                "## What will appear",
                "\(configured), from its first moment on, and follows each change while it runs. \(credentials)",
                "## Whether it worked",
                "On the device this shows the enrollment, the app, and `valid` once the app has taken its configuration:",
                code(["sudo martlet-agent status"]),
                "The person who invited you sees the same with `martlet device invitations` and `martlet device show`.",
                "## When you are done",
                "This removes the app's configuration and all that the device was given:",
                code(["sudo martlet-agent unenroll"]),
            ]).joined(separator: "\n\n") + "\n"
    }

    private func code(_ lines: [String]) -> String {
        (["```sh"] + lines.map { Printable.line($0) } + ["```"]).joined(separator: "\n")
    }
}
