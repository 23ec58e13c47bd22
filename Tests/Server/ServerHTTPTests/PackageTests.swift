import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import Crypto
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Packages over the wire: uploaded, verified, downloaded in ranges, and kept while they are used.
@Suite struct PackageTests {
    static let app = "/apps/org.swift.landmarks"

    static func digest(_ bytes: Data) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A server whose fleet trusts a team, an administrator, and a device with Linux in the group.
    func with(
        _ team: TeamPackage, limits: PackageDirectory.Limits = .init(),
        _ body: (TestServer, AdminClient) async throws -> Void
    ) async throws {
        var limits = limits
        limits.reserve = 0
        try await TestServer.run(packages: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                let answer = try await admin.send(
                    "POST", "/teams", TeamRequest(certificate: team.certificateDER.base64EncodedString()))
                try #require(answer.status == 200, "\(answer.text)")
                try await body(server, admin)
            }
        }
    }

    func piece(
        _ admin: AdminClient, _ package: Data, _ range: Range<Int>, as digest: String, body: Data? = nil
    ) async throws -> Answer {
        try await admin.send(
            "PUT", "\(Self.app)/packages/\(digest)/upload",
            headers: ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(package.count)"],
            body: body ?? package[range])
    }

    func accept(_ admin: AdminClient, _ digest: String, offer: Bool? = nil) async throws -> Answer {
        try await admin.send("PUT", "\(Self.app)/packages/\(digest)", PackageRequest(offer: offer))
    }

    func upload(_ admin: AdminClient, _ package: Data, offer: Bool? = nil) async throws -> Answer {
        let digest = Self.digest(package)
        var start = 0
        while start < package.count {
            let end = min(start + (4 << 20), package.count)
            let answer = try await piece(admin, package, start..<end, as: digest)
            try #require(answer.status == 200, "\(answer.text)")
            start = end
        }
        return try await accept(admin, digest, offer: offer)
    }

    private func manifest(_ server: TestServer, agent: String = "1") async throws -> Manifest {
        try await server.management.manifest(
            of: ["teachers"],
            for: DeviceAudience(
                platform: .linux, osVersion: SystemVersion("12"), agentVersion: SystemVersion(agent)))
    }

    /// The whole way: pieces, verification, the manifest that a device reads, the declaration that names it.
    @Test func anUploadedPackageReachesDevices() async throws {
        let team = try TeamPackage()
        try await with(team) { server, admin in
            let package = try team.package(bytes: 5 << 20)
            let digest = Self.digest(package)
            let answer = try await upload(admin, package)
            try #require(answer.status == 200, "\(answer.text)")
            let hosted = try AdminJSON.decode(Package.self, from: answer.body)
            #expect(hosted.team == "TEAM123456" && hosted.size == package.count && hosted.unusedSince == nil)
            let app: AdminMessages.App = try await admin.get(Self.app)
            #expect(app.teamIdentifier == "TEAM123456", "the first package gives an app its team")

            let document = try #require(
                await manifest(server).declarations["configuration/martlet.app.org.swift.landmarks"])
            let declared = try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
            #expect(declared.source == .manifestURL(hosted.manifestURL))
            #expect(hosted.manifestURL == "\(server.baseURL)/packages/\(digest)/manifest.plist")

            try await server.client().with { (client) async throws in
                let answer = try await client.send("GET", hosted.manifestURL)
                let manifest = try AppManifest(parsing: answer.body)
                #expect(manifest.bundleIdentifier == "org.swift.landmarks" && manifest.size == package.count)
                guard case .pieces(let size, let pieces) = manifest.check else {
                    Issue.record("no pieces")
                    return
                }
                #expect(size == 1_048_576 && pieces.count == (package.count + size - 1) / size)
                #expect(
                    pieces
                        == stride(from: 0, to: package.count, by: size).map {
                            Data(SHA256.hash(data: package[$0..<min($0 + size, package.count)]))
                        })
                let file = try await client.send("GET", manifest.url)
                #expect(file.status == 200 && file.body == package)
            }
        }
    }

    /// RFC 9110 §14: parts of the very same file, and nothing of another.
    @Test func aDownloadGoesOnWhereItStopped() async throws {
        let team = try TeamPackage()
        try await with(team) { server, admin in
            let package = try team.package(bytes: 200_000)
            let digest = Self.digest(package)
            try #require(await upload(admin, package).status == 200)
            let size = package.count
            let tag = "\"\(digest)\""
            let parts: [(range: String, status: Int, bytes: Range<Int>)] = [
                ("bytes=0-0", 206, 0..<1), ("bytes=1000-", 206, 1_000..<size), ("bytes=-10", 206, (size - 10)..<size),
                ("bytes=\(size - 1)-\(size + 10)", 206, (size - 1)..<size), ("bytes=-999999999", 206, 0..<size),
                ("bytes=0-1,5-6", 200, 0..<size), ("bytes=5-4", 200, 0..<size), ("lines=1-2", 200, 0..<size),
                ("bytes=99999999999999999999-", 200, 0..<size), ("bytes=\(size)-", 416, 0..<0),
                ("bytes=-0", 416, 0..<0),
            ]
            try await server.client().with { (client) async throws in
                func get(_ headers: [String: String]) async throws -> Answer {
                    try await client.send("GET", "\(server.baseURL)/packages/\(digest)", headers: headers)
                }
                for part in parts {
                    let answer = try await get(["Range": part.range])
                    #expect(answer.status == part.status, "\(part.range)")
                    #expect(answer.body == package[part.bytes], "\(part.range)")
                    if part.status == 206 {
                        #expect(
                            answer.headers["content-range"]
                                == "bytes \(part.bytes.lowerBound)-\(part.bytes.upperBound - 1)/\(size)")
                    } else if part.status == 416 {
                        #expect(answer.headers["content-range"] == "bytes */\(size)")
                    }
                }
                let same = try await get(["Range": "bytes=5-9", "If-Range": tag])
                #expect(same.status == 206 && same.body == package[5..<10])
                #expect(same.headers["etag"] == tag)
                let other = try await get(["Range": "bytes=5-9", "If-Range": "\"other\""])
                #expect(other.status == 200 && other.body == package)
                #expect(try await get(["If-None-Match": tag]).status == 304)
                for name in [String(repeating: "0", count: 64), "..%2f1.sqlite", "uploads", digest.uppercased()] {
                    #expect(try await client.send("GET", "\(server.baseURL)/packages/\(name)").status == 404)
                }
            }
        }
    }

    /// A package that a source names stays; one that none has named for long goes, with its file.
    @Test func unusedPackagesHaveTheirTime() async throws {
        let team = try TeamPackage()
        let clock = TestClock(stands: true)
        var limits = PackageDirectory.Limits()
        limits.reserve = 0
        try await TestServer.run(clock: clock, packages: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                let wish = TeamRequest(certificate: team.certificateDER.base64EncodedString())
                try #require(await admin.send("POST", "/teams", wish).status == 200)
                let packages = try ["1", "2", "3"].map { try team.package(version: $0) }
                #expect(try await upload(admin, packages[0]).status == 200)
                #expect(try await upload(admin, packages[1]).status == 200)
                #expect(try await upload(admin, packages[2], offer: false).status == 200)
                let digests = packages.map(Self.digest)
                let refused = try await admin.send("DELETE", "\(Self.app)/packages/\(digests[1])")
                #expect(refused.status == 409)
                #expect(try await admin.send("DELETE", "\(Self.app)/packages/\(digests[2])").status == 204)
                let listed: AdminMessages.Page<Package> = try await admin.get("\(Self.app)/packages")
                #expect(Set(listed.items.map(\.sha256)) == [digests[0], digests[1]])
                // Back to the one before, as the list has it.
                let back = AppSourceRequest(location: digests[0])
                #expect(try await admin.send("PUT", "\(Self.app)/sources/linux/package", back).status == 200)
                clock.advance(by: 29 * 24 * 3_600)
                try await server.management.maintain()
                #expect(try await server.management.hostedPackage(digests[1]) != nil)
                clock.advance(by: 2 * 24 * 3_600)
                try await server.management.maintain()
                #expect(try await server.management.hostedPackage(digests[0]) != nil)
                #expect(try await server.management.hostedPackage(digests[1]) == nil)
                let directory = try #require(server.management.packages)
                #expect(FileManager.default.fileExists(atPath: directory.file(digests[0]).path))
                #expect(!FileManager.default.fileExists(atPath: directory.file(digests[1]).path))
            }
        }
    }

    /// Teams reach Martlet's agents, and nobody else; a minimum of the package keeps it from older devices.
    @Test func teamsAndMinimumsReachTheDevicesTheyConcern() async throws {
        let team = try TeamPackage()
        try await with(team) { server, admin in
            let name = "configuration/martlet.app-trust"
            let document = try #require(await manifest(server).declarations[name])
            let trust = try AppTrustConfiguration(payload: Declaration(parsing: document).payload)
            #expect(trust.teams == [team.certificateDER])
            let phone = DeviceAudience(platform: .iOS, osVersion: SystemVersion("26"))
            for audience in [phone, DeviceAudience(platform: .linux), DeviceAudience()] {
                let other = try await server.management.manifest(of: ["teachers"], for: audience)
                #expect(other.declarations[name] == nil)
            }
            let listed: AdminMessages.Page<AdminMessages.Team> = try await admin.get("/teams")
            let item = try #require(listed.items.first)
            #expect(
                item.team == "TEAM123456" && !item.authority && item.fingerprint == Self.digest(team.certificateDER))
            #expect(try await admin.send("DELETE", "/teams/\(item.fingerprint)").status == 204)
            #expect(try await admin.send("DELETE", "/teams/\(item.fingerprint)").status == 404)
            let empty = try #require(await manifest(server).declarations[name])
            #expect(try AppTrustConfiguration(payload: Declaration(parsing: empty).payload).teams.isEmpty)
            let package = try team.package(minimumOS: "13")
            #expect(try await upload(admin, package).text.contains("trusts no team yet"))
            #expect(
                try await admin.send(
                    "POST", "/teams", TeamRequest(certificate: team.certificateDER.base64EncodedString())
                ).status == 200)
            #expect(try await upload(admin, package).status == 200)
            let withheld = try await manifest(server).withheld
            #expect(
                withheld == [
                    Withheld(
                        app: "org.swift.landmarks", subject: .app,
                        reason: .systemTooOld(.linux, minimum: SystemVersion([13])))
                ])
            for certificate in [Data([1, 2, 3]), server.authority.certificateDER.dropLast()] {
                let wish = TeamRequest(certificate: Data(certificate).base64EncodedString())
                #expect(try await admin.send("POST", "/teams", wish).status == 422)
            }
        }
    }
}
