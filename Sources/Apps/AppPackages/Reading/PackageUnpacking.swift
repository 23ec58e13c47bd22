package import Foundation
import Glibc

extension VerifiedPackage {
    /// Verifies a package and unpacks it: afterwards `directory` is there with all of it on disk, or is not there.
    ///
    /// Files go into a new directory beside it that only we may enter, which takes its place at the end. Beside the app's
    /// files there is what vouches for them: `_Package/signature.p7s` and `_Package/list`.
    package static func unpack(
        _ source: any PackageSource, to directory: String, trust: TeamTrust, now: Date,
        freeSpace: (String) -> UInt64? = FreeSpace.at
    ) throws(PackageRefusal) -> VerifiedPackage {
        let reader = try PackageReader(source)
        guard let signature = reader.signature else { throw PackageRefusal(.unsigned) }
        let signer = try PackageSignature.verify(signature, over: reader.list, trust: trust, now: now)
        let list = try PackageList(parsing: reader.list)
        let parent = NewDirectory.parent(of: directory)
        if let free = freeSpace(parent), free < list.spaceNeeded { throw PackageRefusal(.space) }

        let new = try NewDirectory(for: directory)
        var sink = DirectorySink(new)
        let description = try reader.describe(through: &sink)
        let verified = try VerifiedPackage(description: description, signer: signer, signature: signature)
        try new.add(.signature, signature)
        try new.add(.list, reader.list)
        try new.commit()
        return verified
    }
}

/// How much room a file system has.
package enum FreeSpace {
    /// In bytes, for users without privileges; nil where it cannot be told.
    package static func at(_ directory: String) -> UInt64? {
        var facts = statvfs()
        guard unsafe statvfs(directory, &facts) == 0 else { return nil }
        return UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
    }
}

extension PackageList {
    /// What the unpacked package takes: each file in whole blocks of 4 KiB, with one more for its entry.
    package var spaceNeeded: UInt64 {
        entries.reduce(UInt64(PackageLimits.list)) { $0 + ($1.size + 4_095) / 4_096 * 4_096 + 4_096 }
    }
}

/// Writes the files of a package into a new directory.
struct DirectorySink: PackageSink {
    private let directory: NewDirectory
    private var file: NewDirectory.File?

    init(_ directory: NewDirectory) {
        self.directory = directory
    }

    mutating func begin(_ entry: PackageEntry) throws(PackageRefusal) {
        file = try directory.file(entry.path, isExecutable: entry.isExecutable)
    }

    mutating func write(_ bytes: ArraySlice<UInt8>) throws(PackageRefusal) {
        try file?.write(bytes)
    }

    mutating func end(_ entry: PackageEntry) throws(PackageRefusal) {
        try file?.commit()
        file = nil
    }
}
