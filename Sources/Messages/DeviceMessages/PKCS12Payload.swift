package import Foundation
import InputBounds

/// `com.apple.security.pkcs12`: an identity that comes with the profile, key and all.
package struct PKCS12Payload: Hashable, Sendable {
    package var content: Data
    /// Secret.
    package var password: String?

    package init(content: Data, password: String? = nil) {
        self.content = content
        self.password = password
    }

    init(_ payload: MessageFields) throws(InputRefusal) {
        content = try payload.data("PayloadContent")
        password = try payload.stringIfPresent("Password", limit: 1_024)
    }

    func write(to entries: inout MessageEntries) {
        entries.set("PayloadContent", content)
        entries.set("Password", password)
    }
}

extension PKCS12Payload: CustomStringConvertible {
    package var description: String { "PKCS #12 of \(content.count) bytes" }
}

extension PKCS12Payload: CustomDebugStringConvertible {
    package var debugDescription: String { description }
}
