import Crypto
import Foundation
import InputBounds

/// What this machine can say about itself, read once from where Linux keeps it.
package struct DeviceFacts: Equatable, Sendable {
    package var hostName: String
    package var systemName: String
    package var systemVersion: String
    package var kernelVersion: String
    package var modelName: String
    package var model: String
    /// Only the administrator of the machine may read it; absent otherwise.
    package var serialNumber: String?
    /// A stable UUID of the machine; absent where there is no machine identity.
    package var machineUUID: String?

    /// Gives the facts as they are.
    package init(
        hostName: String, systemName: String, systemVersion: String, kernelVersion: String, modelName: String,
        model: String,
        serialNumber: String? = nil, machineUUID: String? = nil
    ) {
        self.hostName = hostName
        self.systemName = systemName
        self.systemVersion = systemVersion
        self.kernelVersion = kernelVersion
        self.modelName = modelName
        self.model = model
        self.serialNumber = serialNumber
        self.machineUUID = machineUUID
    }

    /// Reads the facts below `root`, which is `/` on a device.
    package static func read(root: String = "") -> DeviceFacts {
        let release = osRelease(
            line(root + "/etc/os-release", whole: true) ?? line(root + "/usr/lib/os-release", whole: true) ?? "")
        let dmi = root + "/sys/class/dmi/id/"
        return DeviceFacts(
            hostName: line(root + "/proc/sys/kernel/hostname") ?? "linux",
            systemName: release["NAME"] ?? "Linux",
            systemVersion: release["VERSION_ID"] ?? release["BUILD_ID"] ?? "0",
            kernelVersion: line(root + "/proc/sys/kernel/osrelease") ?? "unknown",
            modelName: line(dmi + "product_name") ?? "Linux device",
            model: line(dmi + "board_name") ?? line(dmi + "product_name") ?? "Linux",
            serialNumber: line(dmi + "product_serial").flatMap { NameRule.serialNumber.takes($0) ? $0 : nil },
            machineUUID: line(root + "/etc/machine-id").flatMap(uuid(ofMachine:)))
    }

    /// What the device is called where an enrollment shows it: a person's part of a device keeps the host's name to itself.
    package func name(for enrollment: Enrollment?) -> String {
        enrollment?.separatesData == true ? systemName : hostName
    }

    /// Whether an operator may say that this is the device's serial number.
    package static func isSerialNumber(_ text: String) -> Bool {
        NameRule(.printable, upTo: 64).takes(text)
    }

    /// The value of each assignment in `os-release`.
    static func osRelease(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[String(parts[0])] = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"' "))
        }
        return values
    }

    /// A UUID that follows from the machine's identity without giving it away, as machine-id(5) asks.
    static func uuid(ofMachine identity: String) -> String? {
        guard identity.count == 32, identity.allSatisfy(\.isHexDigit) else { return nil }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("dev.martlet.udid".utf8), using: SymmetricKey(data: Data(identity.lowercased().utf8)))
        var bytes = Array(Data(code).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Data(bytes).hexadecimal.uppercased()
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    private static func line(_ path: String, whole: Bool = false) -> String? {
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.read(upToCount: 16_384) else {
            return nil
        }
        let text = String(decoding: data, as: UTF8.self)
        let value = whole ? text : text.split(separator: "\n").first.map { $0.trimmingCharacters(in: .whitespaces) }
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
