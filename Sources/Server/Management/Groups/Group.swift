package import Foundation
import InputBounds

/// Devices that are configured alike: those that were put into it, or those that meet its rule.
///
/// The name is the key.
package struct Group: Sendable, Equatable {
    package let name: String
    package let created: Date
    package let devices: Int
    /// Says which devices are in it; without one they are put in and taken out by hand.
    package let rule: GroupRule?
    /// Grows with every change of the rule.
    package let revision: Int
    /// The rule was set, and not all devices are judged by it yet.
    package let isJudging: Bool

    package init(
        name: String, created: Date, devices: Int, rule: GroupRule? = nil, revision: Int = 0, isJudging: Bool = false
    ) {
        self.name = name
        self.created = created
        self.devices = devices
        self.rule = rule
        self.revision = revision
        self.isJudging = isJudging
    }

    /// Names stand in URLs and in logs: 1 to 64 of letters, digits, dot, underscore, hyphen.
    package static func refusal(ofName name: String) -> AdminRefusal? {
        guard Names.isSuitable(name) else {
            return .invalid(rule: "A group's name is 1 to 64 of letters, digits, dot, underscore and hyphen.")
        }
        return ReservedNames.rule(brokenBy: name, ReservedNames.ofGroups).map {
            .invalid(rule: "A group's name \($0).")
        }
    }
}

/// What names of groups and configurations look like.
enum Names {
    static func isSuitable(_ name: String) -> Bool {
        NameRule(.word(and: "._-"), upTo: 64).takes(name) && name.utf8.first != UInt8(ascii: ".")
    }
}
