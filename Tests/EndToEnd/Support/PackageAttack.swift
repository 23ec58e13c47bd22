import AppPackages
import CraftedPackages
import Foundation

/// What somebody makes of a package so that it does harm where it is unpacked.
enum PackageAttack: CaseIterable {
    case parentDirectory, absolutePath, symbolicLink, hardLink, setuid, bomb
    case unsigned, anotherTeam, tampered

    static let all = Self.allCases

    /// What a device looks at that is taken in.
    enum Wanted: String {
        case anything, signed, team

        /// What would have refused it.
        var stricter: [Wanted] {
            switch self {
            case .anything: [.signed, .team]
            case .signed: [.team]
            case .team: []
            }
        }
    }

    var deceived: Wanted {
        switch self {
        case .unsigned: .anything
        case .anotherTeam: .signed
        default: .team
        }
    }

    /// By what the agent refuses it.
    var rule: PackageRefusal.Rule {
        switch self {
        case .parentDirectory, .absolutePath: .path
        case .symbolicLink, .hardLink, .setuid, .bomb: .otherThanListed
        case .unsigned: .unsigned
        case .anotherTeam: .untrusted
        case .tampered: .digest
        }
    }

    private static let harm = [UInt8]("harm\n".utf8)
    private static let bombSize = 64 << 20

    /// The package, of a small honest app.
    func package(_ place: AttackedPlace, team: Team, stranger: Team) throws -> [UInt8] {
        var craft = Craft()
        switch self {
        case .parentDirectory: craft.files.append(.init(path: "../escaped", content: Self.harm))
        case .absolutePath: craft.files.append(.init(path: place.outside + "/escaped", content: Self.harm))
        case .symbolicLink:
            let link = Craft.link("Resources/out", to: place.outside, isSymbolic: true)
            let file = TarMember.header(path: "Resources/out/escaped", size: 5, isExecutable: false)
            craft.files.insert(.init(path: "Resources/out/escaped", content: Self.harm, header: link + file), at: 2)
        case .hardLink:
            let link = Craft.link("Resources/text", to: place.outside + "/kept", isSymbolic: false)
            craft.files[2].header = link + TarMember.header(path: "Resources/text", size: 3, isExecutable: false)
        case .setuid:
            let size = craft.files[1].content.count
            craft.files[1].header = Craft.header("App", size: size, isExecutable: true) { header in
                header.replaceSubrange(100..<107, with: "0004755".utf8)
            }
        case .bomb:
            craft.list = craft.listBytes
            craft.files[2].content = [UInt8](repeating: 0, count: Self.bombSize)
        case .unsigned: craft.isSigned = false
        case .anotherTeam: return try craft.bytes(by: stranger, now: Date())
        case .tampered:
            craft.list = craft.listBytes
            craft.files[1].content.replaceSubrange(10..<14, with: "evil".utf8)
        }
        return try craft.bytes(by: team, now: Date())
    }

    /// Whether it has done what it was made for.
    func hasDoneHarm(_ place: AttackedPlace) throws -> Bool {
        let app = place.app + "/App"
        switch self {
        case .parentDirectory, .absolutePath, .symbolicLink, .hardLink: return try !place.isUntouched
        case .setuid:
            let facts = try FileManager.default.attributesOfItem(atPath: app)
            let mode = facts[.posixPermissions] as? NSNumber, owner = facts[.ownerAccountID] as? NSNumber
            return mode?.intValue == 0o4755 && owner?.intValue == 0
        case .bomb:
            let facts = try FileManager.default.attributesOfItem(atPath: place.app + "/Resources/text")
            let package = try FileManager.default.attributesOfItem(atPath: place.package)
            return (facts[.size] as? Int ?? 0) > 1_000 * (package[.size] as? Int ?? .max)
        case .unsigned, .anotherTeam: return FileManager.default.isExecutableFile(atPath: app)
        case .tampered: return try String(contentsOfFile: app, encoding: .utf8).contains("evil")
        }
    }
}

/// Where a package is unpacked that was made to do harm, and what lies beside it.
struct AttackedPlace {
    let name: String
    let package: String
    private let folder: String

    init(name: String, package: String, below home: URL) throws {
        self.name = name
        self.package = package
        folder = home.appending(path: "attacked/" + name).path
        try prepare()
    }

    /// Where the naive device unpacks.
    var app: String { folder + "/app" }
    /// What has nothing to do with the app.
    var outside: String { folder + "/outside" }

    /// Makes it what it was before anything was unpacked.
    func prepare() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try Data("kept\n".utf8).write(to: URL(filePath: outside + "/kept"))
    }

    /// Whether everything beside the app is what it was.
    var isUntouched: Bool {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "app" }
            let kept = try String(contentsOfFile: outside + "/kept", encoding: .utf8)
            return try names == ["outside"] && kept == "kept\n"
                && FileManager.default.contentsOfDirectory(atPath: outside) == ["kept"]
        }
    }
}
