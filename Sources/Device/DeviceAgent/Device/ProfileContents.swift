import DeviceMessages
package import Foundation
package import InputBounds

/// What a configuration profile says of itself and of its payloads, whatever their types.
package struct ProfileContents: Equatable, Sendable {
    /// The head of one payload; its content only where it is a certificate.
    package struct Payload: Equatable, Sendable {
        package let type: String
        package let identifier: String
        package let uuid: String
        package let version: Int
        package let displayName: String?
        package let certificate: Data?
    }

    package let identifier: String
    package let uuid: String
    package let version: Int
    package let displayName: String?
    package let organization: String?
    package let explanation: String?
    package let removalDisallowed: Bool
    package let payloads: [Payload]

    /// Reads an unsigned profile sent by a peer.
    package init(parsing data: Data) throws(InputRefusal) {
        let top = try PropertyListValue(parsing: data, limits: .message)
        guard top["PayloadType"]?.string == "Configuration", let identifier = top["PayloadIdentifier"]?.string,
            let uuid = top["PayloadUUID"]?.string, let content = top["PayloadContent"]?.array
        else { throw InputRefusal(rule: "a profile has a type, an identifier, a UUID and a list of payloads") }
        self.identifier = identifier
        self.uuid = uuid
        version = top["PayloadVersion"]?.int ?? 1
        displayName = top["PayloadDisplayName"]?.string
        organization = top["PayloadOrganization"]?.string
        explanation = top["PayloadDescription"]?.string
        removalDisallowed = top["PayloadRemovalDisallowed"]?.bool ?? false
        var payloads: [Payload] = []
        for payload in content {
            guard let type = payload["PayloadType"]?.string, let identifier = payload["PayloadIdentifier"]?.string,
                let uuid = payload["PayloadUUID"]?.string
            else { throw InputRefusal(rule: "a payload has a type, an identifier and a UUID") }
            let isCertificate = type == Self.rootType
            payloads.append(
                Payload(
                    type: type, identifier: identifier, uuid: uuid, version: payload["PayloadVersion"]?.int ?? 1,
                    displayName: payload["PayloadDisplayName"]?.string,
                    certificate: isCertificate ? payload["PayloadContent"]?.data : nil))
        }
        self.payloads = payloads
    }

    /// The one type of payload that an InstallProfile command may bring for now.
    package static let rootType = "com.apple.security.root"

    /// The profile as an element of `ProfileList`.
    package func listed(isManaged: Bool) -> PropertyListValue {
        var entries: [String: PropertyListValue] = [
            "PayloadIdentifier": .string(identifier), "PayloadUUID": .string(uuid),
            "PayloadVersion": .integer(Int64(version)),
            "PayloadRemovalDisallowed": .boolean(removalDisallowed), "HasRemovalPasscode": .boolean(false),
            "IsEncrypted": .boolean(false), "IsManaged": .boolean(isManaged), "Source": .string("MDM"),
        ]
        if let displayName { entries["PayloadDisplayName"] = .string(displayName) }
        if let organization { entries["PayloadOrganization"] = .string(organization) }
        if let explanation { entries["PayloadDescription"] = .string(explanation) }
        entries["PayloadContent"] = .array(
            payloads.map { payload in
                var head: [String: PropertyListValue] = [
                    "PayloadType": .string(payload.type), "PayloadVersion": .integer(Int64(payload.version)),
                    "PayloadIdentifier": .string(payload.identifier), "PayloadUUID": .string(payload.uuid),
                ]
                if let name = payload.displayName { head["PayloadDisplayName"] = .string(name) }
                return .dictionary(head)
            })
        return .dictionary(entries)
    }
}
