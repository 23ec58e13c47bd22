/// The path of a file inside a package: relative, of a form that leads nowhere else.
package struct PackagePath: Hashable, Sendable {
    package let text: String

    /// Names at the top that are the package's own begin so, in any case.
    package static let reserved = "_Package"

    package static let information = PackagePath(known: "Info.plist")
    package static let signature = PackagePath(known: reserved + "/signature.p7s")
    package static let list = PackagePath(known: reserved + "/list")
    package static let entitlements = PackagePath(known: reserved + "/entitlements.plist")
    package static let specification = PackagePath(known: reserved + "/specification")

    private init(known text: String) {
        self.text = text
    }

    /// Takes the path of a file of the app, or of what the package says about it.
    package init(_ text: String) throws(PackageRefusal) {
        guard (1...PackageLimits.path).contains(text.utf8.count) else { throw PackageRefusal(.path, file: text) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= PackageLimits.depth, parts.allSatisfy(Self.isName) else {
            throw PackageRefusal(.path, file: text)
        }
        self.text = text
        if parts[0].lowercased().hasPrefix(Self.reserved.lowercased()) {
            guard self == .entitlements || self == .specification else {
                throw PackageRefusal(.pathReserved, file: text)
            }
        }
    }

    package var components: [Substring] { text.split(separator: "/") }

    /// Whether the path is one of what the package says about its app.
    package var isReserved: Bool { text.hasPrefix(Self.reserved) }

    // Swift's own equality takes two Unicode forms of a text for one; these are file names, so bytes count.
    package static func == (left: PackagePath, right: PackagePath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    private static func isName(_ part: Substring) -> Bool {
        (1...PackageLimits.component).contains(part.utf8.count) && part != "." && part != ".."
            && part.unicodeScalars.allSatisfy(isHarmless)
    }

    /// Neither a separator on any system nor anything that steers a terminal or turns text around.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: scalar != "/" && scalar != "\\"
        }
    }
}

extension PackagePath: Comparable {
    /// The order of the list: Info.plist, what the package says about the app, then the rest by bytes.
    package static func < (left: PackagePath, right: PackagePath) -> Bool {
        let (one, other) = (left.rank, right.rank)
        return one == other ? left.text.utf8.lexicographicallyPrecedes(right.text.utf8) : one < other
    }

    private var rank: Int {
        switch self {
        case .information: 0
        case .entitlements: 1
        case .specification: 2
        default: 3
        }
    }
}

/// Tells whether paths get in each other's way on any file system: also one that takes two spellings for one name.
struct PathCollisions {
    private var files: Set<String> = []
    /// Each directory with the one spelling that it may have.
    private var directories: [String: String] = [:]

    /// Adds the path of a file, unless it collides with one before.
    mutating func add(_ path: PackagePath) throws(PackageRefusal) {
        var directory = ""
        for part in path.components.dropLast() {
            directory += part + "/"
            let spelling = directories.updateValue(directory, forKey: Self.fold(directory)) ?? directory
            guard spelling.utf8.elementsEqual(directory.utf8), !files.contains(Self.fold(String(directory.dropLast())))
            else { throw PackageRefusal(.pathTaken, file: path.text) }
        }
        let folded = Self.fold(path.text)
        guard files.insert(folded).inserted, directories[folded + "/"] == nil else {
            throw PackageRefusal(.pathTaken, file: path.text)
        }
    }

    // Equality of texts is canonical equivalence, so that composed and decomposed letters are one already.
    private static func fold(_ text: String) -> String { text.uppercased().lowercased() }
}
