package import Foundation
package import InputBounds

/// "Connect now": the one event of the wake-up channel, with the words of a push notification.
///
/// It never says why.
package struct WakeEvent: Hashable, Sendable {
    package let pushMagic: String

    package init(pushMagic: String) {
        self.pushMagic = pushMagic
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: InputLimits(bytes: 1024, depth: 4, objects: 16)))
        pushMagic = try fields.string("mdm", limit: 256)
    }

    /// The event as JSON, without a line feed: the body of a push notification.
    package func encoded() -> Data {
        JSONValue.object(["mdm": .string(pushMagic)]).encoded()
    }

    /// The event as one line of the wake-up stream.
    package func line() -> Data {
        encoded() + Data([0x0A])
    }
}
