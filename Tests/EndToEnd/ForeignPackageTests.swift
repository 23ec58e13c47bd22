import Foundation
import PlayedAgent
import SwiftASN1
import Testing
import Waiting
import X509

/// A package that another web server has, whom the system's certificate authorities vouch for.
///
/// S0-GEN-02: an in-house app that its developer hosts.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ForeignPackageTests {
    /// The developer's own nginx, which loses the connection in the middle: what was had before is not asked for again.
    @Test(
        .enabled(if: geteuid() == 0, "only root can change what its system trusts"),
        .enabled(if: Nginx.isThere, "nginx is not there: run make setup"))
    func aDownloadThatIsCutOffGoesOnWhereItWas() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await developer.configure("Autumn")
            let authority = try TestAuthority("Somebody's authority")
            let trusted = road.home.appending(path: "trusted.pem")
            try Data(try authority.certificate.serializeAsPEM().pemString.utf8).write(to: trusted)
            try await Nginx.run(on: road, authority: authority, .everybody(bytesPerSecond: 4_000_000)) { nginx in
                let package = try await developer.pack("1.0", bytes: 6_000_000)
                try FileManager.default.copyItem(at: package, to: nginx.pages.appending(path: "viewer.tar.zst"))
                try await road.martlet(
                    "app", "manifest", package.path, "--url", nginx.url + "/viewer.tar.zst", "-o",
                    nginx.pages.appending(path: "manifest.plist").path)
                try await road.martlet(
                    "app", "source", "set", Developer.app, "--platform", "linux", "--manifest",
                    nginx.url + "/manifest.plist")
                let enrolled = try await road.tryToEnroll(code: road.enrollmentCode())
                #expect(enrolled.status == 0, "\(enrolled.text)")
                try await road.startAgent(whereTheSystemTrusts: trusted.path)
                try await developer.viewer.assign()
                try await partHasGrown(to: 3_000_000, on: road)
                try nginx.cutConnections()
                try await road.appIsManaged(version: "1.0")
                try await nginx.notes("the rest") { $0.last?.hasPrefix("206 bytes=") == true }
                let last = try #require(try nginx.log().last)
                let offset = try #require(last.split(separator: "=").last.flatMap { Int($0.dropLast()) })
                // Of a piece that was not whole nothing can be known.
                #expect(last.hasPrefix("206 bytes=") && offset >= 2 << 20, "\(last)")
            }
        }
    }

    /// Whom nobody vouches for is not asked for anything, and the administrator is told.
    @Test(.enabled(if: Nginx.isThere, "nginx is not there: run make setup"))
    func aServerThatTheSystemDoesNotTrustGivesNothing() async throws {
        try await Road.with { road in
            _ = try await Developer.on(road)
            let authority = try TestAuthority("Somebody's authority")
            try await Nginx.run(on: road, authority: authority, .everybody(bytesPerSecond: 2_000_000)) { nginx in
                try await road.martlet(
                    "app", "source", "set", Developer.app, "--platform", "linux", "--manifest",
                    nginx.url + "/manifest.plist")
                try await road.enroll()
                try await road.martlet("assign", "teachers", Developer.app)
                try await road.shown("the server cannot be trusted")
                #expect(try nginx.log().isEmpty)
                #expect(try road.managedApps().isEmpty)
            }
        }
    }

    private func partHasGrown(to size: Int, on road: Road) async throws {
        let folder = URL(filePath: road.agentDirectory + "/downloads")
        var sizes: [Int] = []
        try await eventually("a download of \(size) bytes, but \(sizes)") { () -> Bool in
            let parts = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            sizes = parts.compactMap { (try? Data(contentsOf: $0))?.count }
            return sizes.contains { $0 >= size }
        }
    }
}
