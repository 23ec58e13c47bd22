import AppPackages
import Foundation
import InputBounds

/// What an app's `Info.plist` says of it; whether that can be used, `AppCatalog` decides.
struct InformationFile: Decodable {
    // It is a few kilobytes.
    private static let limits = InputLimits(bytes: 262_144, depth: 16, objects: 10_000)

    let identifier: String
    let executable: String
    let name: String?
    let version: String?
    let shortVersion: String?
    let readsFiles: Bool?
    let isIsolated: Bool?
    let isOffline: Bool?
    let desktopEntry: String?
    let extensions: Presence?

    enum CodingKeys: String, CodingKey {
        case identifier = "CFBundleIdentifier"
        case executable = "CFBundleExecutable"
        case name = "CFBundleName"
        case version = "CFBundleVersion"
        case shortVersion = "CFBundleShortVersionString"
        case readsFiles = "MartletFiles"
        case isIsolated = "MartletIsolated"
        case isOffline = "MartletOffline"
        case desktopEntry = "MartletDesktopEntry"
        case extensions = "MartletExtensions"
    }

    /// That there is something, whatever it is.
    struct Presence: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// The file's content, within bounds; nothing where there is no file.
    static func content(at path: String) throws(AppRule) -> Data? {
        // A pipe that lies there is not waited for.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            switch number {
            case ENOENT where FileIdentity(at: path) == nil, ENOTDIR: return nil
            case ENXIO: throw AppRule.notRegular
            default: throw AppRule.unreadable(number)
            }
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { withExtendedLifetime(file) {} }
        guard OpenedFile.isRegular(descriptor) else { throw AppRule.notRegular }
        guard let data = try? file.read(upToCount: limits.bytes + 1) ?? Data() else { throw AppRule.unreadable(EIO) }
        guard data.count <= limits.bytes else { throw AppRule.tooLarge(most: limits.bytes) }
        return data
    }

    /// Reads the file's content.
    init(parsing data: Data) throws(AppRule) {
        do {
            try PropertyListScan.check(data, limits: Self.limits)
            self = try PropertyListDecoder().decode(Self.self, from: data)
        } catch let refusal as InputRefusal {
            throw AppRule.malformed(refusal.rule)
        } catch let error as DecodingError {
            throw Self.rule(brokenBy: error)
        } catch {
            throw AppRule.malformed("it cannot be decoded")
        }
    }

    private static func rule(brokenBy error: DecodingError) -> AppRule {
        switch error {
        case .keyNotFound(let key, _): return .missing(key: key.stringValue)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.last else { return .malformed("it is not a dictionary") }
            return .mistyped(key: key.stringValue)
        default: return .malformed("it cannot be decoded")
        }
    }
}
