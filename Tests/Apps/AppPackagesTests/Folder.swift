import AppPackages
import Foundation

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
