package import Foundation

/// A package's description of itself, from files that were checked against the package's list.
package struct PackageDescription: Sendable {
    package let information: AppInformation
    package let entitlements: Entitlements
    /// What the developer published about the configuration that the app takes.
    package let specification: Data?
    package let list: PackageList
}

/// Keeps the few files that describe the app while everything passes on.
struct DescribingSink<Next: PackageSink>: PackageSink {
    var next: Next
    private let list: PackageList
    private var kept: [PackagePath: Data] = [:]
    private var keeps = false
    private var current = Data()
    private(set) var information: AppInformation?
    private var entitlements = Entitlements()

    init(_ list: PackageList, next: Next) {
        self.list = list
        self.next = next
    }

    mutating func begin(_ entry: PackageEntry) throws(PackageRefusal) {
        keeps = entry.path == .information || entry.path.isReserved
        current.removeAll()
        try next.begin(entry)
    }

    mutating func write(_ bytes: ArraySlice<UInt8>) throws(PackageRefusal) {
        // The list has bounded the sizes of these.
        if keeps { current.append(contentsOf: bytes) }
        try next.write(bytes)
    }

    mutating func end(_ entry: PackageEntry) throws(PackageRefusal) {
        if keeps {
            kept[entry.path] = current
            // Judged before the bulk is read.
            switch entry.path {
            case .information:
                let found = try AppInformation(parsing: current)
                try found.check(against: list)
                information = found
            case .entitlements: entitlements = try Entitlements(parsing: current)
            default: break
            }
        }
        try next.end(entry)
    }

    func description() throws(PackageRefusal) -> PackageDescription {
        guard let information else { throw PackageRefusal(.informationMissing) }
        return PackageDescription(
            information: information, entitlements: entitlements, specification: kept[.specification], list: list)
    }
}

/// Takes content for which nobody has a use.
package struct NoSink: PackageSink {
    package init() {}
    package mutating func begin(_ entry: PackageEntry) {}
    package mutating func write(_ bytes: ArraySlice<UInt8>) {}
    package mutating func end(_ entry: PackageEntry) {}
}

extension PackageReader {
    /// Reads the package to its end and says what it is; of whom it is, the signature says.
    package func describe(
        through sink: inout some PackageSink
    ) throws(PackageRefusal) -> PackageDescription {
        let list = try PackageList(parsing: list)
        var describing = DescribingSink(list, next: sink)
        try readFiles(of: list, into: &describing)
        sink = describing.next
        return try describing.description()
    }
}
