package import Foundation
package import InputBounds

extension InputLimits {
    /// A document of a secret: the largest holds a PKCS #12 of 64 KiB in Base64.
    package static let credential = InputLimits(bytes: 131_072, depth: 8, objects: 2_000)
}

/// `com.apple.credential.usernameandpassword`: what a password asset points to.
package struct UserNameAndPassword: Hashable, Sendable {
    package static let longestUserName = 1_024
    package static let longestPassword = 16_384

    package var userName: String
    /// Absent where only the name is set.
    package var password: String?

    package init(userName: String, password: String?) {
        self.userName = userName
        self.password = password
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        userName = try fields.string("UserName", limit: Self.longestUserName)
        password = try fields.stringIfPresent("Password", limit: Self.longestPassword)
    }

    package func encoded() -> Data {
        var entries = ["UserName": JSONValue.string(userName)]
        if let password { entries["Password"] = .string(password) }
        return JSONValue.object(entries).encoded()
    }
}

/// `com.apple.credential.identity`: a PKCS #12 and what opens it.
package struct IdentityDocument: Hashable, Sendable {
    package static let largestIdentity = 65_536

    package var password: String
    /// PKCS #12.
    package var identity: Data

    package init(password: String, identity: Data) {
        self.password = password
        self.identity = identity
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        password = try fields.string("Password", limit: UserNameAndPassword.longestPassword)
        guard let identity = try fields.dataIfPresent("Identity") else {
            throw InputRefusal("the key Identity is missing")
        }
        guard (1...Self.largestIdentity).contains(identity.count) else {
            throw InputRefusal("the key Identity has no allowed length")
        }
        self.identity = identity
    }

    package func encoded() -> Data {
        JSONValue.object(["Password": .string(password), "Identity": .string(identity.base64EncodedString())]).encoded()
    }
}

/// The other names that a certificate is asked for with.
package struct SubjectAltName: Hashable, Sendable {
    package var emailAddress: String?
    package var dnsName: String?
    package var uri: String?
    /// A user principal name, as Windows has them.
    package var principalName: String?

    package init(
        emailAddress: String? = nil, dnsName: String? = nil, uri: String? = nil, principalName: String? = nil
    ) {
        self.emailAddress = emailAddress
        self.dnsName = dnsName
        self.uri = uri
        self.principalName = principalName
    }

    init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        emailAddress = try fields.stringIfPresent("rfc822Name", limit: 1_024)
        dnsName = try fields.stringIfPresent("dNSName", limit: 1_024)
        uri = try fields.stringIfPresent("uniformResourceIdentifier", limit: 1_024)
        principalName = try fields.stringIfPresent("ntPrincipalName", limit: 1_024)
    }

    var value: JSONValue {
        var entries: [String: JSONValue] = [:]
        if let emailAddress { entries["rfc822Name"] = .string(emailAddress) }
        if let dnsName { entries["dNSName"] = .string(dnsName) }
        if let uri { entries["uniformResourceIdentifier"] = .string(uri) }
        if let principalName { entries["ntPrincipalName"] = .string(principalName) }
        return .object(entries)
    }
}

extension JSONFields {
    /// Bytes in Base64, as a document's `data` is written.
    func dataIfPresent(_ key: String) throws(InputRefusal) -> Data? {
        guard let text = try stringIfPresent(key, limit: InputLimits.credential.bytes) else { return nil }
        guard let data = Data(base64Encoded: text) else { throw InputRefusal("the key \(key) is not Base64") }
        return data
    }

    /// Sets of attribute and value pairs.
    func subject(_ key: String) throws(InputRefusal) -> [[[String]]] {
        let refusal = InputRefusal("the key \(key) is not made of pairs of strings")
        var subject: [[[String]]] = []
        for outer in try arrayIfPresent(key) ?? [] {
            guard let pairs = outer.array else { throw refusal }
            var set: [[String]] = []
            for pair in pairs {
                let texts = (pair.array ?? []).compactMap(\.string)
                guard texts.count == 2, pair.array?.count == 2 else { throw refusal }
                set.append(texts)
            }
            subject.append(set)
        }
        return subject
    }

    func subjectAltName(_ key: String) throws(InputRefusal) -> SubjectAltName? {
        guard let object = try objectIfPresent(key) else { return nil }
        return try SubjectAltName(.object(object))
    }
}

extension JSONValue {
    static func subject(_ subject: [[[String]]]) -> JSONValue {
        .array(subject.map { set in .array(set.map { .array($0.map(JSONValue.string)) }) })
    }
}
