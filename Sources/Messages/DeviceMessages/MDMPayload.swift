import InputBounds

/// Which server manages a device, and how far.
package struct MDMPayload: Hashable, Sendable {
    package var serverURL: String
    /// Absent: check-in goes to `serverURL` as well.
    package var checkInURL: String?
    package var topic: String
    /// A set of bits, see `AccessRights`; nothing where it does not apply.
    package var accessRights: Int?
    /// Every message carries an `Mdm-Signature`.
    package var signMessage: Bool
    package var checkOutWhenRemoved: Bool
    package var serverCapabilities: [String]
    /// Of an enrollment by account, whose it is and what of the device; the person must have signed in.
    package var account: Account?
    /// By which certificates of the profile alone the server is believed; nothing where the profile does not say.
    package var pins: ServerPins?

    /// The two keys that make an enrollment one by account.
    package struct Account: Hashable, Sendable {
        package var mode: EnrollmentDiscovery.Mode
        package var name: String

        package init(mode: EnrollmentDiscovery.Mode, name: String) {
            self.mode = mode
            self.name = name
        }
    }

    package init(
        serverURL: String, checkInURL: String? = nil, topic: String, accessRights: Int? = AccessRights.all,
        signMessage: Bool = true, checkOutWhenRemoved: Bool = true, serverCapabilities: [String] = [],
        account: Account? = nil
    ) {
        self.serverURL = serverURL
        self.checkInURL = checkInURL
        self.topic = topic
        self.accessRights = accessRights
        self.signMessage = signMessage
        self.checkOutWhenRemoved = checkOutWhenRemoved
        self.serverCapabilities = serverCapabilities
        self.account = account
    }

    init(_ fields: MessageFields) throws(InputRefusal) {
        serverURL = try Self.secureURL(try fields.string("ServerURL"), "ServerURL")
        checkInURL = try fields.stringIfPresent("CheckInURL")
        if let checkInURL { self.checkInURL = try Self.secureURL(checkInURL, "CheckInURL") }
        topic = try fields.string("Topic", limit: 256)
        accessRights = try fields.intIfPresent("AccessRights")
        signMessage = try fields.boolIfPresent("SignMessage") ?? false
        checkOutWhenRemoved = try fields.boolIfPresent("CheckOutWhenRemoved") ?? false
        serverCapabilities = try fields.stringsIfPresent("ServerCapabilities") ?? []
        account = try Self.account(fields)
        let pins = try ServerPins(fields)
        self.pins = pins.isEmpty ? nil : pins
    }

    private static func account(_ fields: MessageFields) throws(InputRefusal) -> Account? {
        let word = try fields.stringIfPresent("EnrollmentMode", limit: 16)
        let name = try fields.stringIfPresent("AssignedManagedAppleID", limit: 256)
        switch (word, name) {
        case (nil, nil): return nil
        case (let word?, let name?):
            guard let mode = EnrollmentDiscovery.Mode(rawValue: word) else {
                throw InputRefusal("the key EnrollmentMode has a value that is not known")
            }
            return Account(mode: mode, name: name)
        default: throw InputRefusal("an enrollment by account has a mode and an account")
        }
    }

    func write(to entries: inout MessageEntries) {
        entries.set("ServerURL", serverURL)
        entries.set("CheckInURL", checkInURL)
        entries.set("Topic", topic)
        entries.set("AccessRights", accessRights)
        entries.set("SignMessage", signMessage)
        entries.set("CheckOutWhenRemoved", checkOutWhenRemoved)
        if !serverCapabilities.isEmpty {
            entries.set("ServerCapabilities", .array(serverCapabilities.map { .string($0) }))
        }
        entries.set("EnrollmentMode", account?.mode.rawValue)
        entries.set("AssignedManagedAppleID", account?.name)
    }

    private static func secureURL(_ text: String, _ key: String) throws(InputRefusal) -> String {
        guard text.hasPrefix("https://") else { throw InputRefusal("the key \(key) is not an https URL") }
        return text
    }
}

/// What a server does beyond what every server does, as the words of `ServerCapabilities`.
package enum ServerCapability {
    /// It serves the channels of a device's users; whether it does cannot change while a device is enrolled.
    package static let userChannels = "com.apple.mdm.per-user-connections"
    /// It keeps the device's bootstrap token.
    package static let bootstrapToken = "com.apple.mdm.bootstraptoken"
}

/// What the server may do, as the bits of `AccessRights`.
package enum AccessRights {
    package static let inspectProfiles = 1
    package static let changeProfiles = 2
    package static let lockAndPasscode = 4
    package static let erase = 8
    package static let deviceInformation = 16
    package static let networkInformation = 32
    package static let inspectProvisioningProfiles = 64
    package static let changeProvisioningProfiles = 128
    package static let inspectApps = 256
    package static let restrictions = 512
    package static let security = 1024
    package static let settings = 2048
    package static let apps = 4096
    package static let all = 8191
}
