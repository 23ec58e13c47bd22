package import Foundation
package import InputBounds

/// A device leaves its bootstrap token with the server, or takes it back.
///
/// With it a Mac makes users who may start it, and authorizes updates.
package struct SetBootstrapToken: Hashable, Sendable {
    package var identifier: EnrollmentIdentifier
    /// Nothing where the device takes it back.
    package var token: Data?

    package init(identifier: EnrollmentIdentifier, token: Data?) {
        self.identifier = identifier
        self.token = token
    }

    /// By the letter: a token that cannot be read must not pass for one that is taken back.
    init(_ fields: MessageFields) throws(InputRefusal) {
        identifier = try EnrollmentIdentifier(in: fields)
        let data = try fields.dataIfPresent("BootstrapToken")
        guard (data?.count ?? 0) <= 65_536 else { throw InputRefusal("the key BootstrapToken is too long") }
        token = data?.isEmpty == true ? nil : data
    }
}

/// What a device is answered that asks for its bootstrap token.
package struct BootstrapTokenAnswer: Hashable, Sendable {
    /// Nothing where the device left none.
    package var token: Data?

    package init(token: Data?) { self.token = token }

    package init(parsing data: Data) throws(InputRefusal) {
        token = try MessageFields(PropertyListValue(parsing: data, limits: .message)).dataIfPresent("BootstrapToken")
    }

    /// The answer as an XML property list.
    package func encoded() -> Data {
        var entries = MessageEntries()
        entries.set("BootstrapToken", token)
        return entries.value.xml()
    }
}
