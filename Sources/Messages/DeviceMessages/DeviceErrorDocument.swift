package import Foundation
package import InputBounds

/// The body of an answer that refuses: it tells a device why, by a code it knows.
package struct DeviceErrorDocument: Hashable, Sendable {
    package var code: String
    package var description: String?
    /// What the device may show its user.
    package var message: String?

    /// The device removes its enrollment.
    package static let unrecognizedDevice = "com.apple.unrecognized.device"

    /// Of this server: the identity that was shown has expired.
    ///
    /// Comes with 400, which changes nothing on a device that does not know it.
    package static let expiredIdentity = "dev.martlet.identity.expired"

    /// Of this server: only the certificate of the TLS connection vouches for what was asked for.
    ///
    /// Comes with 400 as well.
    package static let certificateNeeded = "dev.martlet.certificate.needed"

    /// Of this server: another machine is enrolled under this identifier, and stays.
    ///
    /// Comes with 400.
    package static let identifierTaken = "dev.martlet.enrollment.identifier-taken"

    /// Of this server: the right to enroll was made by somebody who may not give secrets, and its group gives one.
    ///
    /// Comes with 400.
    package static let secretsOutOfReach = "dev.martlet.enrollment.secrets-out-of-reach"

    package init(code: String, description: String? = nil, message: String? = nil) {
        self.code = code
        self.description = description
        self.message = message
    }

    /// Reads the JSON form.
    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .message))
        code = try fields.string("code", limit: 256)
        description = try fields.stringIfPresent("description")
        message = try fields.stringIfPresent("message")
    }

    package func encodedJSON() -> Data {
        var entries = ["code": JSONValue.string(code)]
        if let description { entries["description"] = .string(description) }
        if let message { entries["message"] = .string(message) }
        return JSONValue.object(entries).encoded()
    }
}
