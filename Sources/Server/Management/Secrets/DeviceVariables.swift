import Foundation

/// What `${device.…}` stands for in the values that devices are given.
package struct DeviceVariables: Sendable {
    /// The known names, without their braces.
    package static let names = [
        "device.model", "device.name", "device.osVersion", "device.productName", "device.serialNumber", "device.udid",
    ]

    private let values: [String: String]

    package init(of device: Device) {
        var values = ["device.udid": device.id]
        values["device.model"] = device.facts.model
        values["device.name"] = device.facts.deviceName
        values["device.osVersion"] = device.facts.osVersion
        values["device.productName"] = device.facts.productName
        values["device.serialNumber"] = device.facts.serialNumber
        self.values = values
    }

    /// Whether all variables in a text are known.
    package static func areKnown(in text: String) -> Bool {
        parts(of: text).allSatisfy { part in
            guard case .variable(let name) = part else { return true }
            return names.contains(name)
        }
    }

    /// The text with the device's values, or nothing if it has none for a variable.
    package func filled(_ text: String) -> String? {
        var filled = ""
        for part in Self.parts(of: text) {
            switch part {
            case .plain(let text): filled += text
            case .variable(let name):
                guard let value = values[name], !value.isEmpty else { return nil }
                filled += value
            }
        }
        return filled
    }

    private enum Part {
        case plain(Substring)
        case variable(String)
    }

    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = Substring(text)
        while let start = rest.range(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            parts.append(.plain(rest[..<start.lowerBound]))
            parts.append(.variable(String(rest[start.upperBound..<end])))
            rest = rest[rest.index(after: end)...]
        }
        return parts + [.plain(rest)]
    }
}
