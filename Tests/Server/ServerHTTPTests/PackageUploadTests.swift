import AdminMessages
import AppPackages
import Foundation
import Management
import Testing

/// Uploads in pieces: which are taken, refused and continued.
extension PackageTests {
    /// What does not go on where the upload stands is told where that is, and changes nothing.
    @Test func anUploadGoesOnWhereItStopped() async throws {
        let team = try TeamPackage()
        try await with(team) { server, admin in
            let package = try team.package(bytes: 100_000)
            let digest = Self.digest(package)
            func received() async throws -> AdminMessages.PackageUpload {
                try await admin.get("\(Self.app)/packages/\(digest)/upload")
            }
            #expect(try await received() == AdminMessages.PackageUpload(received: 0, hosted: false))
            #expect(try await piece(admin, package, 10..<20, as: digest).status == 409)
            #expect(try await piece(admin, package, 0..<1_000, as: digest).status == 200)
            // A piece that was cut off: as far as it came it is there.
            let cut = try await piece(admin, package, 1_000..<3_000, as: digest, body: package[1_000..<1_500])
            #expect(cut.status == 422)
            #expect(try await received().received == 1_500)
            let long = try await piece(admin, package, 1_500..<1_600, as: digest, body: package[1_500..<1_700])
            #expect(long.status == 422)
            let start = try await received().received
            #expect(try await accept(admin, digest).status == 422, "not whole")
            #expect(try await received().received == 0, "what is refused is dropped")
            #expect(start <= 1_600)
            let wrong = ["", "bytes 0-9", "bytes -1-2/5", "bytes 0-9/*"].map { ($0, 400) }
            for (header, status) in wrong + [("bytes 9-0/10", 422), ("bytes 0-10/10", 422)] {
                let answer = try await admin.send(
                    "PUT", "\(Self.app)/packages/\(digest)/upload", headers: ["Content-Range": header],
                    body: Data(count: 10))
                #expect(answer.status == status, "\(header)")
            }
            #expect(try await upload(admin, package).status == 200)
            #expect(try await received() == AdminMessages.PackageUpload(received: package.count, hosted: true))
            #expect(try await upload(admin, package).status == 200, "again changes nothing")
        }
    }

    /// Another team's, another app's, a changed one: refused with the rule, and nothing of it stays.
    @Test func onlyAPackageOfTheAppAndATrustedTeamIsTaken() async throws {
        let (team, stranger, other) = (try TeamPackage(), try TeamPackage(), try TeamPackage(team: "OTHER12345"))
        try await with(team) { server, admin in
            func refusal(_ package: Data, _ rule: String) async throws {
                let answer = try await upload(admin, package)
                #expect(answer.status == 422 && answer.text.contains(rule), "\(answer.text)")
                let missing = try await server.management.hostedPackage(Self.digest(package))
                #expect(missing == nil)
            }
            try await refusal(stranger.package(), "not one that is trusted here")
            try await refusal(team.package(of: "org.swift.other"), "another app")
            try await refusal(Data(repeating: 7, count: 10_000), "not an app package")
            var changed = try team.package(bytes: 10_000)
            changed[changed.count / 2] ^= 1
            try await refusal(changed, "The package is refused")
            try await refusal(try team.package() + [0], "more than its list says")

            let honest = try team.package()
            let lie = Self.digest(Data("another".utf8))
            #expect(try await piece(admin, honest, 0..<honest.count, as: lie).status == 200)
            #expect(try await accept(admin, lie).text.contains("not what the digest says"))
            #expect(try await upload(admin, honest).status == 200)
            let add = TeamRequest(certificate: other.certificateDER.base64EncodedString())
            #expect(try await admin.send("POST", "/teams", add).status == 200)
            try await refusal(other.package(version: "2"), "another team than the app's")
            let files = try FileManager.default.contentsOfDirectory(
                atPath: try #require(server.management.packages).file("x").deletingLastPathComponent().path)
            #expect(Set(files) == ["uploads", Self.digest(honest)])
            // By its digest another app comes to nothing of it.
            let another = "org.swift.other"
            let added = AdminMessages.App(bundleIdentifier: another, name: "Other")
            #expect(try await admin.send("PUT", "/apps/\(another)", added).status == 200)
            let progress = try await server.management.packageProgress(Self.digest(honest), of: another)
            #expect(progress.refusal == .unknownPackage)
            let removal = try await server.management.removePackage(Self.digest(honest), of: another, author: "admin")
            #expect(removal == .unknownPackage)
        }
    }

    /// A disk, or what it may take, that is full: said with 507, and what is there stays good.
    @Test func withoutRoomNothingIsTaken() async throws {
        let team = try TeamPackage()
        var limits = PackageDirectory.Limits()
        limits.bytes = 60_000
        try await with(team, limits: limits) { _, admin in
            let large = try team.package(bytes: 100_000)
            let answer = try await piece(admin, large, 0..<1_000, as: Self.digest(large))
            #expect(answer.status == 507, "\(answer.text)")
            // Red where nobody learned how much is missing.
            #expect(answer.text.contains("it needs \(large.count) bytes more") && answer.text.contains("60000"))
            #expect(try await upload(admin, try team.package(bytes: 40_000)).status == 200)
            let second = try team.package(version: "2", bytes: 40_000)
            #expect(try await piece(admin, second, 0..<1_000, as: Self.digest(second)).status == 507)
        }
    }

    /// What has begun and is not finished is bounded, and leaves room for the database on the same disk.
    @Test func uploadsAreFewAndLeaveRoom() async throws {
        let team = try TeamPackage()
        let packages = try ["1", "2"].map { try team.package(version: $0) }
        var limits = PackageDirectory.Limits()
        limits.uploads = 1
        try await with(team, limits: limits) { (_, admin) async throws in
            #expect(try await piece(admin, packages[0], 0..<10, as: Self.digest(packages[0])).status == 200)
            #expect(try await piece(admin, packages[1], 0..<10, as: Self.digest(packages[1])).status == 409)
            #expect(try await piece(admin, packages[0], 10..<20, as: Self.digest(packages[0])).status == 200)
        }
        limits.reserve = .max / 2
        try await TestServer.run(packages: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                let refused = try await piece(admin, packages[0], 0..<10, as: Self.digest(packages[0]))
                #expect(refused.status == 507 && refused.text.contains("it needs \(packages[0].count) bytes more"))
                #expect(refused.text.contains("have to stay free for the database"), "\(refused.text)")
                // Red where who only looks after an app learned how much is free on the server's disk.
                let owner = try await admin.loggedIn(
                    "olga",
                    AdministratorRequest(
                        name: "olga", role: .appOwner, apps: ["org.swift.landmarks"], groups: ["teachers"]))
                let short = try await piece(owner, packages[0], 0..<10, as: Self.digest(packages[0]))
                #expect(short.status == 507 && short.text.contains("it needs \(packages[0].count) bytes more"))
                #expect(!short.text.contains("free"), "\(short.text)")
            }
        }
    }

    /// The rule itself, whoever asks: a piece lies within its package, a package within what is read of one, and one
    /// upload is written by one at a time.
    @Test func aPieceIsHeldAgainstItsPackage() async throws {
        try await with(try TeamPackage()) { server, _ in
            let digest = Self.digest(Data())
            @Sendable func upload(
                _ range: Range<Int>, of total: Int, write: @Sendable () async throws -> Void = {}
            ) async throws -> AdminRefusal? {
                try await server.management.uploadPackage(
                    digest, of: "org.swift.landmarks", range: range, total: total
                ) { _ in
                    try await write()
                    return nil
                }.refusal
            }
            #expect(try await upload(0..<20, of: 10)?.kind == .invalid)
            #expect(try await upload(0..<0, of: 10)?.kind == .invalid)
            let most = Int(PackageLimits.compressed)
            #expect(try await upload(0..<10, of: most + 1) == .tooLarge(limit: most))
            let outer = try await upload(0..<10, of: 10) { () async throws in
                #expect(try await upload(0..<10, of: 10)?.kind == .conflict)
            }
            #expect(outer == nil)
        }
    }

    /// A16: another app's owner who knows the digest of an upload neither adds to it nor ends it.
    @Test func anUploadIsItsAppsAlone() async throws {
        let team = try TeamPackage()
        try await with(team) { server, admin in
            let app = App(bundleIdentifier: "com.example.other", name: "Other")
            #expect(try await admin.send("PUT", "/apps/com.example.other", app).status < 300)
            let package = try team.package(version: "1")
            let digest = Self.digest(package)
            let half = package.count / 2
            #expect(try await piece(admin, package, 0..<half, as: digest).status == 200)
            let other = "/apps/com.example.other/packages/\(digest)"
            let range = "bytes \(half)-\(package.count - 1)/\(package.count)"
            let strange = try await admin.send(
                "PUT", other + "/upload", headers: ["Content-Range": range], body: Data(count: package.count - half))
            #expect(strange.status == 409, "\(strange.text)")
            #expect(try await admin.send("PUT", other, PackageRequest(offer: false)).status == 404)
            #expect(try await piece(admin, package, half..<package.count, as: digest).status == 200)
            // An upload of the other app's own is verified by itself, and leaves this one as it is.
            let first = ["Content-Range": "bytes 0-9/\(package.count)"]
            #expect(try await admin.send("PUT", other + "/upload", headers: first, body: Data(count: 10)).status == 200)
            #expect(try await admin.send("PUT", other, PackageRequest(offer: false)).status == 422)
            #expect(try await accept(admin, digest).status == 200)
            let directory = try #require(server.management.packages)
            #expect(FileManager.default.fileExists(atPath: directory.file(digest).path))
        }
    }
}
