import Foundation
import Testing

/// Messages as devices and servers send them, kept beside the tests.
enum Golden {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    static func all() throws -> [Data] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { !$0.lastPathComponent.hasPrefix(".") }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try Data(contentsOf: $0) }
    }

    static let iPhone = "00008110-001A2B3C4D5E801E"
    static let mac = "9B3C2F10-6E5A-5F0B-8C1D-2E4F6A7B8C9D"
    static let topic = "com.apple.mgmt.External.0b8e1f7c-2a3d-4a6e-9d57-0f2c4f3b6a11"
}
