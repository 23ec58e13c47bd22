import AppPackages
import Crypto
import Foundation

/// A package put together by hand: each part can be what no builder of ours would write.
struct Craft {
    struct File {
        var path: String
        var content: [UInt8]
        var isExecutable = false
        /// What the list says where it lies.
        var listedSize: UInt64?
        var listedDigest: [UInt8]?
        /// The header as it stands before the content.
        var header: [UInt8]?
    }

    var files: [File]
    /// Instead of the list of these files.
    var list: [UInt8]?
    /// Instead of the signature that the team makes.
    var signature: [UInt8]?
    var isSigned = true
    /// Between the last file and the end.
    var extra: [UInt8] = []
    /// Behind the last frame.
    var trailing: [UInt8] = []

    static let information = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.app</string>
        <key>CFBundleExecutable</key><string>App</string>
        <key>CFBundleVersion</key><string>1</string>
        </dict></plist>
        """

    /// A small honest app.
    init(information: String = Craft.information) {
        files = [
            File(path: "Info.plist", content: Array(information.utf8)),
            File(path: "App", content: Array("#!/bin/sh\necho hello\n".utf8), isExecutable: true),
            File(path: "Resources/text", content: [1, 2, 3]),
        ]
    }

    /// The list as its text, with nothing checked.
    var listBytes: [UInt8] {
        if let list { return list }
        var text = "martlet app package 1\n"
        for file in files {
            let digest = file.listedDigest ?? Array(SHA256.hash(data: file.content))
            let size = file.listedSize ?? UInt64(file.content.count)
            text += "\(file.isExecutable ? "x" : "-") \(size) \(HexText.of(digest)) \(file.path)\n"
        }
        return Array(text.utf8)
    }

    /// The container's bytes before they are compressed.
    var content: [UInt8] {
        var bytes: [UInt8] = []
        let list = listBytes
        bytes += TarMember.header(path: "_Package/list", size: UInt64(list.count), isExecutable: false)
        bytes += list + TarMember.padding(after: UInt64(list.count))
        for file in files {
            let size = file.listedSize ?? UInt64(file.content.count)
            bytes += file.header ?? TarMember.header(path: file.path, size: size, isExecutable: file.isExecutable)
            bytes += file.content + TarMember.padding(after: UInt64(file.content.count))
        }
        return bytes + extra + TarMember.end
    }

    func bytes(by team: Team, chain: [Team] = []) throws -> [UInt8] {
        var package: [UInt8] = []
        if isSigned {
            let signature =
                try signature
                ?? PackageSignature.sign(
                    listBytes, certificates: ([team] + chain).map(\.certificateDER), key: team.key, now: Team.now)
            package = try PackageWriter.signatureFrame(signature)
        }
        return package + (try Self.frame(content)) + trailing
    }

    static func frame(_ content: [UInt8]) throws -> [UInt8] {
        var frame: [UInt8] = []
        let compressor = try Compressor(size: UInt64(content.count)) { (bytes) throws(PackageRefusal) in frame += bytes
        }
        try compressor.add(content)
        try compressor.end()
        return frame
    }
}

/// A folder of its own for a test, gone afterwards.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "app-packages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ content: [UInt8], _ name: String, mode: Int = 0o644) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    /// Every file below a folder: its path, its content, whether it may be run.
    func tree(_ name: String) throws -> [String: TreeFile] {
        var found: [String: TreeFile] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: path(name)) {
            let full = self.path(name) + "/" + path
            let attributes = try FileManager.default.attributesOfItem(atPath: full)
            guard attributes[.type] as? FileAttributeType != .typeDirectory else { continue }
            found[path] = TreeFile(
                content: [UInt8](try Data(contentsOf: URL(filePath: full))),
                mode: attributes[.posixPermissions] as? Int ?? -1)
        }
        return found
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
}

struct TreeFile: Equatable {
    let content: [UInt8]
    let mode: Int
}

/// The refusal that `body` ends with.
func refusal(of body: () throws -> Void) -> PackageRefusal.Rule? {
    do {
        try body()
        return nil
    } catch let refusal as PackageRefusal {
        return refusal.rule
    } catch {
        return nil
    }
}
