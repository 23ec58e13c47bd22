package import InputBounds

/// The command that installs an app, or takes one under management that is there, without a declaration.
package struct InstallApplication: Hashable, Sendable {
    package static let requestType = "InstallApplication"

    /// Bits of `ManagementFlags`.
    package static let removedWithEnrollment = 1
    package static let keptOutOfBackups = 4
    private static let flags: Set = [0, 1, 4, 5]

    /// The bundle identifier, where the command says it.
    package let identifier: String?
    package let manifestURL: String?
    /// `iTunesStoreID`: the app's number in Apple's store.
    package let storeIdentifier: Int64?
    /// 1: removed when the enrollment ends; 4: kept out of backups; 5: both; 0: neither.
    package let managementFlags: Int
    /// A dictionary: what the app finds from its first launch on.
    package let configuration: PropertyListValue?
    /// A dictionary.
    package let attributes: PropertyListValue?
    /// Whether an app that somebody else has put on the device comes under management.
    package let takesOver: Bool

    package init(
        identifier: String? = nil, manifestURL: String? = nil, storeIdentifier: Int64? = nil, managementFlags: Int = 0,
        configuration: PropertyListValue? = nil, attributes: PropertyListValue? = nil, takesOver: Bool = false
    ) {
        self.identifier = identifier
        self.manifestURL = manifestURL
        self.storeIdentifier = storeIdentifier
        self.managementFlags = managementFlags
        self.configuration = configuration
        self.attributes = attributes
        self.takesOver = takesOver
    }

    /// Reads the request of a command.
    package init(_ request: PropertyListValue) throws(InputRefusal) {
        let fields = try MessageFields(request)
        identifier = try fields.appIdentifierIfPresent("Identifier")
        manifestURL = try Self.manifestURL(fields)
        storeIdentifier = try fields.intIfPresent("iTunesStoreID").map { Int64($0) }
        guard identifier != nil || manifestURL != nil || storeIdentifier != nil else {
            throw InputRefusal("the command names no app: one of Identifier, ManifestURL and iTunesStoreID is needed")
        }
        managementFlags = try fields.intIfPresent("ManagementFlags") ?? 0
        guard Self.flags.contains(managementFlags) else {
            throw InputRefusal("the key ManagementFlags is 0, 1, 4 or 5, and this is \(managementFlags)")
        }
        configuration = try fields.boundedDictionaryIfPresent("Configuration")
        attributes = try fields.boundedDictionaryIfPresent("Attributes")
        switch try fields.stringIfPresent("ChangeManagementState", limit: 64) {
        case nil: takesOver = false
        case "Managed": takesOver = true
        default: throw InputRefusal("the key ChangeManagementState is Managed or absent")
        }
    }

    private static func manifestURL(_ fields: MessageFields) throws(InputRefusal) -> String? {
        let limit = AppCommandBounds.longestURL
        guard let url = try fields.stringIfPresent("ManifestURL", limit: limit) else { return nil }
        guard url.lowercased().hasPrefix("https://") else {
            throw InputRefusal("the key ManifestURL is not an https URL")
        }
        return url
    }

    /// The request of the command, its type included.
    package var request: PropertyListValue {
        var entries = MessageEntries()
        entries.set("RequestType", Self.requestType)
        entries.set("Identifier", identifier)
        entries.set("ManifestURL", manifestURL)
        if let storeIdentifier { entries.set("iTunesStoreID", PropertyListValue.integer(storeIdentifier)) }
        if managementFlags != 0 { entries.set("ManagementFlags", managementFlags) }
        entries.set("Configuration", configuration)
        entries.set("Attributes", attributes)
        if takesOver { entries.set("ChangeManagementState", "Managed") }
        return entries.value
    }
}

/// The command that removes an app which is managed by command, and all that it kept.
package struct RemoveApplication: Hashable, Sendable {
    package static let requestType = "RemoveApplication"

    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    /// Reads the request of a command.
    package init(_ request: PropertyListValue) throws(InputRefusal) {
        identifier = try MessageFields(request).appIdentifier("Identifier")
    }

    /// The request of the command, its type included.
    package var request: PropertyListValue {
        var entries = MessageEntries()
        entries.set("RequestType", Self.requestType)
        entries.set("Identifier", identifier)
        return entries.value
    }
}
