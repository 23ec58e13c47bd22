package import Foundation
package import InputBounds

/// Where the people of a domain enroll, as the domain's web server says under a well-known path.
package struct EnrollmentDiscovery: Hashable, Sendable {
    /// What an enrollment by account is.
    package enum Mode: String, Hashable, Sendable, Codable {
        /// A person's part of the person's own device.
        case ownDevice = "BYOD"
        /// A whole device of the organization.
        case organizationsDevice = "ADDE"
    }

    package let mode: Mode
    /// Where the profile is to be had.
    package let baseURL: String

    package init(mode: Mode, baseURL: String) {
        self.mode = mode
        self.baseURL = baseURL
    }

    package static let path = "/.well-known/com.apple.remotemanagement"

    /// Reads the document; the first server of a kind that is known counts.
    package init(parsing data: Data) throws(InputRefusal) {
        let limits = InputLimits(bytes: 65_536, depth: 8, objects: 1_000)
        let fields = try JSONFields(JSONValue(parsing: data, limits: limits))
        for server in try fields.array("Servers") {
            let entry = try JSONFields(server)
            guard let mode = Self.mode(ofVersion: try entry.string("Version", limit: 64)) else { continue }
            let url = try entry.string("BaseURL", limit: 2_048)
            guard url.hasPrefix("https://") else { throw InputRefusal("the key BaseURL is not an https URL") }
            self.init(mode: mode, baseURL: url)
            return
        }
        throw InputRefusal("no server of the document is of a version that is known")
    }

    /// The document as JSON.
    package func encoded() -> Data {
        let version = mode == .ownDevice ? "mdm-byod" : "mdm-adde"
        let server = JSONValue.object(["Version": .string(version), "BaseURL": .string(baseURL)])
        return JSONValue.object(["Servers": .array([server])]).encoded()
    }

    private static func mode(ofVersion version: String) -> Mode? {
        switch version {
        case "mdm-byod": .ownDevice
        case "mdm-adde": .organizationsDevice
        default: nil
        }
    }
}

/// A person's name at an organization, such as `anna@example.org`.
package struct EnrollmentAccount: Hashable, Sendable {
    /// As it is written, with the domain in lower case.
    package let name: String
    package let domain: String

    /// Reads what a person typed; the domain follows the last `@`.
    package init(parsing text: String) throws(InputRefusal) {
        guard text.utf8.count <= 254, let at = text.lastIndex(of: "@") else {
            throw InputRefusal("an account has an @ and at most 254 bytes")
        }
        let domain = text[text.index(after: at)...].lowercased()
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { octet in
                    (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == UInt8(ascii: "-")
                }
        }
        guard isName else { throw InputRefusal("what follows the @ of an account is the name of a domain") }
        let user = text[..<at]
        guard !user.isEmpty, user.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw InputRefusal("an account has a name without spaces before the @")
        }
        name = "\(user)@\(domain)"
        self.domain = domain
    }

    /// What the domain's web server is asked for.
    package func discoveryURL(at origin: String? = nil) -> String {
        let user = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(origin ?? "https://\(domain)")\(EnrollmentDiscovery.path)?user-identifier=\(user)&model-family=Linux"
    }
}
