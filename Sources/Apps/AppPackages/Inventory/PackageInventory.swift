/// Looks for waste in a package as it passes by: what makes an installation take longer than it need (L01).
///
/// It sees the beginning of each file and the words in all of them, and keeps nothing of either.
package struct PackageInventory: PackageSink {
    private let list: PackageList
    private var mentions: Mentions
    private var sections = ProgramSections()
    private var beginning: [UInt8] = []
    private var found: [PackageWarning] = []

    /// Less is not worth a line.
    private static let worthALine: UInt64 = 4_096
    private static let worthStripping: UInt64 = 65_536
    /// What mobile networks let through: S2-SIZE-01.
    private static let largePackage: UInt64 = 100_000_000
    private static let highestRate = 22_050

    package init(_ list: PackageList) {
        self.list = list
        mentions = Mentions(list)
    }

    package mutating func begin(_ entry: PackageEntry) {
        mentions.begin()
        sections.begin()
        beginning.removeAll(keepingCapacity: true)
    }

    package mutating func write(_ bytes: ArraySlice<UInt8>) {
        if beginning.count < FileKind.beginning { beginning += bytes.prefix(FileKind.beginning - beginning.count) }
        sections.read(bytes)
        mentions.read(bytes)
    }

    package mutating func end(_ entry: PackageEntry) {
        mentions.end()
        if sections.superfluous >= Self.worthStripping { warn(.debugging, entry, sections.superfluous) }
        switch FileKind(beginning) {
        case .sound(let isCompressed, let samplesPerSecond):
            if !isCompressed { warn(.uncompressedSound, entry) }
            if let samplesPerSecond, samplesPerSecond > Self.highestRate { warn(.sampleRate, entry) }
        case .oldVideo: warn(.oldVideo, entry)
        case .uncompressedImage: warn(.uncompressedImage, entry)
        case nil: break
        }
    }

    private mutating func warn(_ kind: PackageWarning.Kind, _ entry: PackageEntry, _ size: UInt64? = nil) {
        found.append(PackageWarning(kind: kind, file: entry.path.text, size: size ?? entry.size))
    }

    /// What was found once all has passed, the most bytes first.
    package func warnings(about package: PackageDescription, packageSize: UInt64) -> [PackageWarning] {
        var warnings = found
        let used = Set(
            [package.information.executable, .information]
                + package.information.extensions.map(\.executable)
                + (package.information.desktopEntry.map { [$0] } ?? []))
        var digests: Set<[UInt8]> = []
        for (index, entry) in list.entries.enumerated() where !entry.path.isReserved {
            let isFirst = digests.insert(entry.digest).inserted
            let kind: PackageWarning.Kind? =
                if Self.isLeftover(entry.path) {
                    .leftover
                } else if !isFirst && entry.size > 0 {
                    .duplicate
                } else if !mentions.isMentioned[index] && !used.contains(entry.path) && entry.size >= Self.worthALine {
                    .unmentioned
                } else {
                    nil
                }
            if let kind { warnings.append(PackageWarning(kind: kind, file: entry.path.text, size: entry.size)) }
        }
        if packageSize > Self.largePackage {
            warnings.append(PackageWarning(kind: .largePackage, file: nil, size: packageSize))
        }
        return warnings.sorted { ($0.size, $1.file ?? "") > ($1.size, $0.file ?? "") }
    }

    private static let leftoverNames: Set<String> = [
        ".ds_store", "thumbs.db", "desktop.ini", "core", ".gitignore", ".gitattributes", ".gitmodules", ".editorconfig",
        "makefile", "cmakelists.txt", ".swiftlint.yml", ".swift-format",
    ]
    private static let leftoverDirectories: Set<String> = [
        ".git", ".svn", ".hg", "__macosx", ".build", "__pycache__",
    ]
    private static let leftoverEndings = [
        "~", ".swp", ".orig", ".rej", ".bak", ".tmp", ".o", ".a", ".la", ".d", ".pyc", ".swiftmodule", ".swiftdoc",
        ".swiftsourceinfo", ".pdb", ".ilk",
    ]

    /// Whether a file's name says that it belongs to the making of an app, not to the app.
    static func isLeftover(_ path: PackagePath) -> Bool {
        let parts = path.components.map { $0.lowercased() }
        guard let name = parts.last else { return false }
        return leftoverNames.contains(name) || leftoverEndings.contains { name.hasSuffix($0) }
            || parts.dropLast().contains { leftoverDirectories.contains($0) }
    }
}
