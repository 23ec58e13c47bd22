import AppPackages
import Crypto
package import Foundation

/// A package put together by hand: each part can be what no builder of ours would write.
package struct Craft {
    package struct File {
        package var path: String
        package var content: [UInt8]
        package var isExecutable: Bool
        /// What the list says where it lies.
        package var listedSize: UInt64?
        package var listedDigest: [UInt8]?
        /// The header as it stands before the content.
        package var header: [UInt8]?

        package init(
            path: String, content: [UInt8], isExecutable: Bool = false, listedSize: UInt64? = nil,
            listedDigest: [UInt8]? = nil, header: [UInt8]? = nil
        ) {
            self.path = path
            self.content = content
            self.isExecutable = isExecutable
            self.listedSize = listedSize
            self.listedDigest = listedDigest
            self.header = header
        }
    }

    package var files: [File]
    /// Instead of the list of these files.
    package var list: [UInt8]?
    /// Instead of the signature that the team makes.
    package var signature: [UInt8]?
    package var isSigned = true
    /// Between the last file and the end.
    package var extra: [UInt8] = []
    /// Behind the last frame.
    package var trailing: [UInt8] = []

    package static let information = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.app</string>
        <key>CFBundleExecutable</key><string>App</string>
        <key>CFBundleVersion</key><string>1</string>
        </dict></plist>
        """

    /// A small honest app.
    package init(information: String = Craft.information) {
        files = [
            File(path: "Info.plist", content: Array(information.utf8)),
            File(path: "App", content: Array("#!/bin/sh\necho hello\n".utf8), isExecutable: true),
            File(path: "Resources/text", content: [1, 2, 3]),
        ]
    }

    /// The list as its text, with nothing checked.
    package var listBytes: [UInt8] {
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
    package var content: [UInt8] {
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

    package func bytes(by team: Team, chain: [Team] = [], now: Date = Team.now) throws -> [UInt8] {
        var package: [UInt8] = []
        if isSigned {
            let signature =
                try signature
                ?? PackageSignature.sign(
                    listBytes, certificates: ([team] + chain).map(\.certificateDER), key: team.key, now: now)
            package = try PackageWriter.signatureFrame(signature)
        }
        return package + (try Self.frame(content)) + trailing
    }

    package static func frame(_ content: [UInt8]) throws -> [UInt8] {
        var frame: [UInt8] = []
        let compressor = try Compressor(size: UInt64(content.count)) { (bytes) throws(PackageRefusal) in frame += bytes
        }
        try compressor.add(content)
        try compressor.end()
        return frame
    }

    /// A header of the container that says something else than one of ours would, its sum included.
    package static func header(
        _ path: String, size: Int = 0, isExecutable: Bool = false, _ change: (inout [UInt8]) -> Void
    ) -> [UInt8] {
        var header = TarMember.header(path: path, size: UInt64(size), isExecutable: isExecutable)
        change(&header)
        header.replaceSubrange(148..<156, with: "        ".utf8)
        let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
        header.replaceSubrange(
            148..<156, with: Array((String(repeating: "0", count: 6 - sum.count) + sum).utf8) + [0, 0x20])
        return header
    }

    /// The header of a link to `target`: by name, or to the same file.
    package static func link(_ path: String, to target: String, isSymbolic: Bool) -> [UInt8] {
        header(path) { header in
            header[156] = UInt8(ascii: isSymbolic ? "2" : "1")
            header.replaceSubrange(157..<(157 + target.utf8.count), with: target.utf8)
        }
    }
}
