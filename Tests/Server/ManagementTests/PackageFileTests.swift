import Foundation
import StoreSQLite
import Testing

@testable import Management

/// A16: the record of a package never lacks its file, whoever is at the same package at that moment.
struct PackageFileTests {
    private static let app = "com.example.app"
    private static let digest = String(repeating: "a", count: 64)

    /// Rules over the fixture's database with a directory of packages in which one lies that is not in use.
    private static func with(
        _ test: (Management, PackageDirectory, SQLiteStore) async throws -> Void
    ) async throws {
        let fixture = try Fixture()
        try fixture.closeStore()
        let store = try SQLiteStore(path: fixture.databasePath)
        defer { try? store.close() }
        let packages = try PackageDirectory(
            path: URL(filePath: fixture.databasePath).deletingLastPathComponent().appending(path: "packages").path)
        let key = MasterKeys.newKeyText()
        let management = Management(
            store: store, settings: Management.Settings(baseURL: "https://mdm.example.com", organization: "Example"),
            masterKeys: try MasterKeyRing { try MasterKeys(parsing: key) }, now: { Fixture.start }, packages: packages)
        _ = try await management.putApp(
            App(bundleIdentifier: app, name: "App", teamIdentifier: "TEAM"), author: "admin")
        try Data("package".utf8).write(to: packages.file(digest))
        try await record(in: store, uploaded: Fixture.start - 365 * 86_400)
        try await test(management, packages, store)
    }

    private static func record(in store: SQLiteStore, uploaded: Date) async throws {
        let package = HostedPackage(
            sha256: digest, app: app, size: 7, title: "App", version: "1", shortVersion: "1", team: "TEAM",
            minimumOS: nil, minimumAgent: nil, author: "admin", uploaded: uploaded)
        let added = try await store.addPackage(package, chunks: [Data()], as: nil, author: "admin", now: uploaded)
        #expect(added.value != nil)
    }

    private static func isThere(_ packages: PackageDirectory) -> Bool {
        FileManager.default.fileExists(atPath: packages.file(digest).path)
    }

    @Test func aPackageIsNotRemovedWhileItIsAccepted() async throws {
        try await Self.with { (management, packages, store) async throws in
            let outcome: Outcome<Void, AdminRefusal> = try await packages.alone(with: Self.digest) { () async throws in
                #expect(
                    try await management.removePackage(Self.digest, of: Self.app, author: "admin")?.kind == .conflict)
                return .accepted(())
            }
            #expect(outcome.refusal == nil)
            #expect(try await store.package(Self.digest) != nil && Self.isThere(packages))
            #expect(try await management.removePackage(Self.digest, of: Self.app, author: "admin") == nil)
            #expect(try await store.package(Self.digest) == nil && !Self.isThere(packages))
        }
    }

    @Test func anUnusedPackageThatIsAcceptedAgainKeepsItsFile() async throws {
        try await Self.with { (management, packages, store) async throws in
            // Between the end of its record and that of its file somebody has it accepted again.
            let outcome: Outcome<Void, AdminRefusal> = try await packages.alone(with: Self.digest) { () async throws in
                try await management.prunePackages()
                #expect(try await store.package(Self.digest) == nil)
                // Accepting a package again does not write its file again, so pruning must have left the file.
                #expect(Self.isThere(packages))
                try await Self.record(in: store, uploaded: Fixture.start)
                return .accepted(())
            }
            #expect(outcome.refusal == nil && Self.isThere(packages))
            try await management.prunePackages()
            #expect(try await store.package(Self.digest) != nil && Self.isThere(packages))
        }
    }
}
