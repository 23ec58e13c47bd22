package import Foundation

/// Devices that are configured alike.
///
/// The name is the key.
package struct Group: Sendable, Equatable {
    package let name: String
    package let created: Date
    package let devices: Int

    package init(name: String, created: Date, devices: Int) {
        self.name = name
        self.created = created
        self.devices = devices
    }

    /// Names stand in URLs and in logs: 1 to 64 of letters, digits, dot, underscore, hyphen.
    package static func refusal(ofName name: String) -> AdminRefusal? {
        Names.isSuitable(name)
            ? nil : .invalid(rule: "A group's name is 1 to 64 of letters, digits, dot, underscore and hyphen.")
    }
}

/// What names of groups and configurations look like.
enum Names {
    static func isSuitable(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.first != "."
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
