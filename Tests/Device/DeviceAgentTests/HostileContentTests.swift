import DeviceAgent
import DeviceMessages
import Foundation
import TestInputs
import Testing

/// Content from a hostile server, or from a process that can write beside an app.
struct HostileContentTests {
    @Test func anAssetThatAttacksIsRefusedForGoodAndWithoutRepeatingIt() {
        for (name, attack) in Attacks.propertyLists {
            let refusal = #expect(throws: AssetRefusal.self, "\(name)") {
                try DataAsset(dataURL: "https://h/a").checkConfiguration(attack, contentType: nil)
            }
            if case .content(let sentence) = refusal {
                #expect(!sentence.contains("lol") && !sentence.contains("passwd"))
            } else {
                #expect(refusal == .verification("an app configuration may have at most 1048576 bytes"), "\(name)")
            }
            #expect(refusal?.mayHeal == false)
        }
    }

    @Test func informationThatAttacksIsNoAppAndHidesNoOther() throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        for (number, attack) in Attacks.propertyLists.values.enumerated() {
            try write(attack, "App\(number)", in: root)
        }
        let sound = ["CFBundleIdentifier": "com.example.sound", "CFBundleExecutable": "App", "CFBundleVersion": "1"]
        try write(PropertyListEncoder().encode(sound), "Sound", in: root)
        #expect(AppCatalog.scan([root.path]).map(\.identifier) == ["com.example.sound"])
    }

    /// A program may be there: what is refused is the information.
    private func write(_ information: Data, _ name: String, in root: URL) throws {
        let directory = root.appending(path: name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try information.write(to: directory.appending(path: "Info.plist"))
        let program = directory.appending(path: "App")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }
}
