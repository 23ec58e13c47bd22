import CLinux
package import Foundation
import InputBounds

/// Whose configuration a file is.
package enum DeploymentTarget: Hashable, Sendable {
    case app
    case `extension`(String)
}

/// Which file of the developer's directory is what.
package struct DeploymentFiles: Sendable {
    /// What a file is for.
    package enum Role: Hashable, Sendable {
        case configuration(DeploymentTarget)
        case specification
        /// Another configuration, notes, what an editor left.
        case other
    }

    static let specification = "specification.json"

    private let app: String
    private let configuration: String
    /// What runs.
    let target: DeploymentTarget

    /// The app, the name of the configuration that it gets, and which part of the app runs.
    package init(app: String, configuration: String, target: DeploymentTarget = .app) {
        (self.app, self.configuration, self.target) = (app, configuration, target)
    }

    /// What a file of this name is for.
    ///
    /// `default.plist` is the configuration of that name; a file with the bundle identifier of an extension is that
    /// extension's.
    package func role(of file: String) -> Role {
        if file == Self.specification { return .specification }
        let ending = (file as NSString).pathExtension
        guard ending == "plist" || ending == "json", !file.hasPrefix(".") else { return .other }
        let name = (file as NSString).deletingPathExtension
        if name == configuration { return .configuration(.app) }
        return name.hasPrefix(app + ".") ? .configuration(.extension(name)) : .other
    }

    /// The names by which a configuration can be given.
    func expected(for target: DeploymentTarget) -> String { names(for: target).joined(separator: " or ") }

    private func names(for target: DeploymentTarget) -> [String] {
        let name = if case .extension(let identifier) = target { identifier } else { configuration }
        return ["\(name).plist", "\(name).json"]
    }

    /// The file for which this one was probably meant, such as `default.json` for `defalut.json`.
    func meant(by file: String) -> String? {
        let names = names(for: target) + [Self.specification]
        // What an editor writes first, or leaves, is not meant for anything.
        guard !file.hasPrefix("."), !names.contains(where: { file.hasPrefix($0) }) else { return nil }
        return NearestWord.to(file, among: names)
    }
}

/// A file as it was found.
package enum FoundFile: Equatable, Sendable {
    case bytes(Data)
    /// It is there and cannot be had, and why.
    case refused(String)

    /// Reads at most so many bytes of a regular file; nothing if there is none.
    package static func read(_ path: String, most: Int) -> FoundFile? {
        guard let file = OpenedFile(path) else { return .refused("it cannot be opened, or is no file") }
        switch file {
        case .missing: return nil
        case .opened(let handle, _):
            guard let bytes = try? handle.read(upToCount: most + 1) ?? Data() else {
                return .refused("it cannot be read")
            }
            return bytes.count <= most ? .bytes(bytes) : .refused("it has more than \(most) bytes")
        }
    }
}

/// A regular file, open for reading: what is known of it is known of the bytes that are read.
enum OpenedFile {
    case missing
    case opened(FileHandle, clinux_file)

    /// Nothing if what is there is something else, or cannot be opened.
    init?(_ path: String) {
        var facts = clinux_file()
        // A link may lead to it; what is opened at its end is no link any more.
        let descriptor = unsafe clinux_file_open(URL(filePath: path).resolvingSymlinksInPath().path, &facts)
        if descriptor == -ENOENT {
            self = .missing
            return
        }
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard facts.mode & S_IFMT == S_IFREG else { return nil }
        self = .opened(handle, facts)
    }
}

/// The developer's directory at one moment.
package struct FoundDirectory: Equatable, Sendable {
    /// Those files that matter, by name.
    package var files: [String: FoundFile]
    /// The names of all others.
    package var others: Set<String>

    package init(_ files: [String: FoundFile] = [:], others: Set<String> = []) {
        (self.files, self.others) = (files, others)
    }

    // Far more than anybody keeps of configurations.
    private static let mostEntries = 4_096
    // JSON may be longer than the property list that it stands for.
    private static let mostBytes = 8 * 1_024 * 1_024

    /// Reads the directory; nothing if it is not there, or is something else.
    package static func read(_ path: String, _ rules: DeploymentFiles) -> FoundDirectory? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.count <= mostEntries else {
            return nil
        }
        var found = FoundDirectory()
        for name in names {
            if rules.role(of: name) == .other {
                found.others.insert(name)
            } else {
                found.files[name] = FoundFile.read(path + "/" + name, most: mostBytes)
            }
        }
        return found
    }
}
