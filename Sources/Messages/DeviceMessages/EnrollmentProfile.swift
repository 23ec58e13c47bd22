package import Foundation
package import InputBounds

/// How a device is to have the identity of its enrollment.
package enum IdentityPayload: Hashable, Sendable {
    case scep(SCEPPayload)
    case acme(ACMEDocument)
    case pkcs12(PKCS12Payload)
}

/// The configuration profile that enrolls a device: roots to trust, an identity to ask for, a server to obey.
package struct EnrollmentProfile: Hashable, Sendable {
    package var identifier: String
    /// The UUIDs of the payloads are derived from this one.
    package var uuid: UUID
    package var displayName: String
    package var organization: String
    /// Certificates to trust, in DER.
    package var roots: [Data]
    /// Those of them to which the server is pinned; nothing where it is pinned to none.
    package private(set) var pinnedRoots: [Data]?
    package var identity: IdentityPayload
    package var mdm: MDMPayload
    /// Where a device without Apple's push service waits for events; other clients ignore the payload.
    package var wakeURL: String?
    /// Only the server ends the enrollment.
    package var removalDisallowed = false
    /// The device waits in its setup until the server sends `DeviceConfigured`; other clients ignore the payload, and
    /// learn of this from their own setup.
    package var awaitsConfiguration = false
    /// The device is supervised by this enrollment; other clients ignore the payload, and are what their own setup made them.
    package var isSupervised = false

    package init(
        identifier: String, uuid: UUID, displayName: String, organization: String, roots: [Data],
        identity: IdentityPayload, mdm: MDMPayload, wakeURL: String? = nil
    ) {
        self.identifier = identifier
        self.uuid = uuid
        self.displayName = displayName
        self.organization = organization
        self.roots = roots
        self.identity = identity
        self.mdm = mdm
        self.wakeURL = wakeURL
    }

    package init(
        identifier: String, uuid: UUID, displayName: String, organization: String, roots: [Data], scep: SCEPPayload,
        mdm: MDMPayload, wakeURL: String? = nil
    ) {
        self.init(
            identifier: identifier, uuid: uuid, displayName: displayName, organization: organization, roots: roots,
            identity: .scep(scep), mdm: mdm, wakeURL: wakeURL)
    }

    /// The identity's payload where it is to be had by SCEP.
    package var scep: SCEPPayload? {
        get { if case .scep(let scep) = identity { scep } else { nil } }
        set { if let newValue { identity = .scep(newValue) } }
    }

    /// Reads an unsigned profile.
    ///
    /// Payloads that are not known are ignored.
    package init(parsing data: Data) throws(InputRefusal) {
        let top = try MessageFields(PropertyListValue(parsing: data, limits: .message))
        guard try top.string("PayloadType") == "Configuration" else {
            throw InputRefusal("not a configuration profile")
        }
        identifier = try top.string("PayloadIdentifier", limit: 256)
        guard let uuid = UUID(uuidString: try top.string("PayloadUUID", limit: 64)) else {
            throw InputRefusal("the key PayloadUUID is not a UUID")
        }
        self.uuid = uuid
        displayName = try top.stringIfPresent("PayloadDisplayName") ?? ""
        organization = try top.stringIfPresent("PayloadOrganization") ?? ""
        removalDisallowed = try top.boolIfPresent("PayloadRemovalDisallowed") ?? false
        roots = []
        var certificates: [String: Data] = [:]
        var identities: [String: IdentityPayload] = [:]
        var mdm: (payload: MDMPayload, identity: String)?
        for item in try top.arrayIfPresent("PayloadContent") ?? [] {
            let payload = try MessageFields(item)
            switch try payload.string("PayloadType", limit: 256) {
            case "com.apple.security.root", "com.apple.security.pkcs1", "com.apple.security.pem":
                let root = try ProfileCertificate.der(try payload.data("PayloadContent"))
                roots.append(root)
                certificates[try payload.stringIfPresent("PayloadUUID", limit: 64)?.uppercased() ?? ""] = root
            case "com.apple.security.scep":
                identities[try payload.string("PayloadUUID", limit: 64).uppercased()] = .scep(try SCEPPayload(payload))
            case "com.apple.security.acme":
                identities[try payload.string("PayloadUUID", limit: 64).uppercased()] = .acme(try ACMEDocument(payload))
            case "com.apple.security.pkcs12":
                let uuid = try payload.string("PayloadUUID", limit: 64).uppercased()
                identities[uuid] = .pkcs12(try PKCS12Payload(payload))
            case "com.apple.mdm":
                guard mdm == nil else { throw InputRefusal("a profile enrolls with one server only") }
                let identity = try payload.string("IdentityCertificateUUID", limit: 64)
                mdm = (try MDMPayload(payload), identity.uppercased())
            case Self.wakeType:
                wakeURL = try payload.string("WakeURL")
            case Self.setupType:
                awaitsConfiguration = try payload.boolIfPresent("AwaitDeviceConfigured") ?? false
                isSupervised = try payload.boolIfPresent("IsSupervised") ?? false
            default: break
            }
        }
        guard let mdm else { throw InputRefusal("the profile has no MDM payload") }
        guard let identity = identities[mdm.identity] else {
            throw InputRefusal("the MDM payload names no SCEP, ACME or PKCS #12 payload of the profile")
        }
        pinnedRoots = try mdm.payload.pins.map { pins throws(InputRefusal) in
            var pinned: [Data] = []
            for uuid in pins.server.union(pins.checkIn).sorted() {
                guard let certificate = certificates[uuid] else {
                    throw InputRefusal("the server is pinned to a certificate that is not in the profile")
                }
                pinned.append(certificate)
            }
            return pinned
        }
        if pinnedRoots?.isEmpty == true { pinnedRoots = nil }
        self.identity = identity
        self.mdm = mdm.payload
    }

    /// The profile as an XML property list.
    ///
    /// The order of the payloads is the order of their installation.
    package func encoded() -> Data {
        var payloads: [PropertyListValue] = []
        for root in roots {
            var entries = payload("com.apple.security.root", "root\(payloads.count)", payloads.count)
            entries.set("PayloadContent", root)
            payloads.append(entries.value)
        }
        let identityUUID = payloadUUID(payloads.count)
        payloads.append(identityPayload(payloads.count))
        var server = payload("com.apple.mdm", "mdm", payloads.count)
        server.set("IdentityCertificateUUID", identityUUID)
        mdm.write(to: &server)
        payloads.append(server.value)
        if let wakeURL {
            var wake = payload(Self.wakeType, "wake", payloads.count)
            wake.set("WakeURL", wakeURL)
            payloads.append(wake.value)
        }
        if awaitsConfiguration || isSupervised {
            var setup = payload(Self.setupType, "setup", payloads.count)
            if awaitsConfiguration { setup.set("AwaitDeviceConfigured", true) }
            if isSupervised { setup.set("IsSupervised", true) }
            payloads.append(setup.value)
        }
        var top = MessageEntries()
        top.set("PayloadType", "Configuration")
        top.set("PayloadVersion", 1)
        top.set("PayloadIdentifier", identifier)
        top.set("PayloadUUID", uuid.uuidString)
        top.set("PayloadDisplayName", displayName)
        top.set("PayloadOrganization", organization)
        if removalDisallowed { top.set("PayloadRemovalDisallowed", true) }
        top.set("PayloadContent", .array(payloads))
        return top.value.xml()
    }

    private static let wakeType = "dev.martlet.wake"
    private static let setupType = "dev.martlet.setup"

    private func identityPayload(_ position: Int) -> PropertyListValue {
        switch identity {
        case .scep(let scep):
            var entries = payload("com.apple.security.scep", "scep", position)
            entries.set("PayloadContent", scep.value)
            return entries.value
        case .acme(let acme):
            var entries = payload("com.apple.security.acme", "acme", position)
            acme.write(to: &entries)
            return entries.value
        case .pkcs12(let pkcs12):
            var entries = payload("com.apple.security.pkcs12", "identity", position)
            pkcs12.write(to: &entries)
            return entries.value
        }
    }

    private func payload(_ type: String, _ name: String, _ position: Int) -> MessageEntries {
        var entries = MessageEntries()
        entries.set("PayloadType", type)
        entries.set("PayloadVersion", 1)
        entries.set("PayloadIdentifier", "\(identifier).\(name)")
        entries.set("PayloadUUID", payloadUUID(position))
        return entries
    }

    /// The profile's UUID with its last two bytes changed: stable, and distinct within the profile.
    private func payloadUUID(_ position: Int) -> String {
        var bytes = uuid.uuid
        bytes.14 ^= UInt8(truncatingIfNeeded: (position + 1) >> 8)
        bytes.15 ^= UInt8(truncatingIfNeeded: position + 1)
        return UUID(uuid: bytes).uuidString
    }
}
