import Foundation
import InputBounds

/// A table of expected devices, and what it means for those that are expected already.
///
/// What the table does not mention stays. What it says otherwise than somebody said before is refused with who that was,
/// unless the table is to replace it.
package struct ExpectedDevicesImport: Sendable {
    /// The devices, as the table has them.
    package let devices: [ExpectedDevice]
    /// Where each stands in the table, counted from one.
    private let lines: [Int]
    /// Whether they wait in their setup; nothing where that is not mentioned.
    private let awaitsConfiguration: Bool?
    private let replaces: Bool

    package init(
        _ devices: [ExpectedDevice], lines: [Int] = [], awaitsConfiguration: Bool? = nil, replaces: Bool = false
    ) {
        self.devices = devices
        self.lines = lines
        self.awaitsConfiguration = awaitsConfiguration
        self.replaces = replaces
    }

    /// What is written for a table, and what that comes to.
    package struct Plan: Sendable, Equatable {
        package var written: [ExpectedDevice] = []
        package var change = ExpectedDevicesChange()
    }

    /// Decides about all devices of the table, or refuses it with the first line that would undo what somebody said.
    ///
    /// - Parameter known: Each device of the table as it is expected now; nothing for one that is not.
    /// - Returns: What is to be written, or why nothing is.
    package func decide(knowing known: [ExpectedDevice?]) -> Outcome<Plan, AdminRefusal> {
        var plan = Plan()
        for (index, (device, present)) in zip(devices, known).enumerated() {
            guard let present else {
                plan.change.added += 1
                plan.written.append(device)
                continue
            }
            guard present.used == nil else {
                plan.change.came += 1
                continue
            }
            let wish = wished(device, of: present)
            let differences = Self.differences(from: present, to: wish)
            guard differences.isEmpty || replaces else {
                let line = lines.indices.contains(index) ? lines[index] : index + 1
                let rule =
                    "\(present.author) expects this device otherwise, \(differences.joined(separator: ", ")); "
                    + "let the table change such devices (replace), or leave the line out"
                return .refused(.table(CSVRefusal(line: line, rule: rule)))
            }
            if differences.isEmpty, present.reachesSecrets || !wish.reachesSecrets {
                plan.change.unchanged += 1
            } else {
                plan.change.changed += 1
                plan.written.append(wish)
            }
        }
        return .accepted(plan)
    }

    /// What the table wishes of a device that is expected already.
    private func wished(_ device: ExpectedDevice, of present: ExpectedDevice) -> ExpectedDevice {
        ExpectedDevice(
            serialNumber: device.serialNumber, group: device.group, chip: device.chip ?? present.chip,
            awaitsConfiguration: awaitsConfiguration ?? present.awaitsConfiguration, author: device.author,
            created: device.created, reachesSecrets: device.reachesSecrets)
    }

    /// In what a device is expected otherwise, as it is now.
    private static func differences(from present: ExpectedDevice, to wish: ExpectedDevice) -> [String] {
        var differences: [String] = []
        if present.group != wish.group { differences.append("in the group \(present.group)") }
        if present.chip != wish.chip {
            differences.append(present.chip == nil ? "known by no chip" : "known by another chip")
        }
        if present.awaitsConfiguration != wish.awaitsConfiguration {
            differences.append(present.awaitsConfiguration ? "waiting in its setup" : "not waiting in its setup")
        }
        return differences
    }
}
