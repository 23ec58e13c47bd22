import DeviceMessages
package import Foundation
package import InputBounds

/// What a configuration profile says of itself and of its payloads, whatever their types.
package struct ProfileContents: Equatable, Sendable {
    /// The head of one payload.
    package struct Payload: Equatable, Sendable {
        package let type: String
        package let identifier: String
        package let uuid: String
        package let version: Int
        package let displayName: String?

        /// The type as it may stand in an answer: a name of the protocol's form, or nothing of what the peer wrote.
        var shownType: String {
            let isName = type.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ".-0123456789".unicodeScalars.contains($0))
            }
            return isName && (1...128).contains(type.utf8.count) ? type : "(not a type's name)"
        }
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
            payloads.append(
                Payload(
                    type: type, identifier: identifier, uuid: uuid, version: payload["PayloadVersion"]?.int ?? 1,
                    displayName: payload["PayloadDisplayName"]?.string))
        }
        self.payloads = payloads
    }

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
