import Crypto
import Foundation
import Management
import Testing

/// What follows from packages and teams, asked of the rules behind the routes.
@Suite struct PackageRuleTests {
    private static let app = "org.swift.landmarks"

    /// A fleet with the app in the group `teachers`, and another group without it.
    private func with(_ body: (Management, TestClock) async throws -> Void) async throws {
        let clock = TestClock(stands: true)
        var limits = PackageDirectory.Limits()
        limits.reserve = 0
        try await TestServer.run(clock: clock, packages: limits) { (server) async throws in
            let management = server.management
            for group in ["teachers", "others"] { _ = try await management.createGroup(named: group, author: "admin") }
            let app = App(bundleIdentifier: Self.app, name: "Landmarks", teamIdentifier: nil)
            _ = try await management.putApp(app, author: "admin")
            _ = try #require(
                await management.assign(app: Self.app, configuration: nil, to: "teachers", author: "admin").value)
            try await body(management, clock)
        }
    }

    private static func digest(_ bytes: Data) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func host(
        _ package: Data, isOffered: Bool = true, on management: Management
    ) async throws -> Outcome<HostedPackage, AdminRefusal> {
        let digest = Self.digest(package)
        let upload = try await management.uploadPackage(
            digest, of: Self.app, range: 0..<package.count, total: package.count
        ) { try await $0.write(package) }
        #expect(upload.refusal == nil)
        switch try await management.acceptPackage(digest, of: Self.app, isOffered: isOffered, author: "admin") {
        case .accepted(let accepted): return .accepted(accepted.package)
        case .refused(let refusal): return .refused(refusal)
        }
    }

    /// The groups of which a device is woken by a change.
    private func woken(
        on management: Management, _ change: () async throws -> Void
    ) async throws -> [String] {
        let groups = ["others", "teachers"]
        let streams = groups.map { management.wakeHub.subscribe("device in \($0)", groups: [$0]) }
        try await change()
        management.wakeHub.disconnectAll()
        var woken: [String] = []
        for (group, stream) in zip(groups, streams) where await stream.contains(where: { true }) { woken.append(group) }
        return woken
    }

    /// Devices hear of a package at once if they get it, of a team all of them: what they trust depends on it.
    @Test func packagesAndTeamsWakeTheDevicesTheyConcern() async throws {
        let team = try TeamPackage()
        try await with { management, _ in
            var fingerprint = ""
            let added = try await woken(on: management) {
                let outcome = try await management.addTeam(der: team.certificateDER, author: "admin")
                fingerprint = outcome.value?.team.fingerprint ?? ""
            }
            #expect(added == ["others", "teachers"])
            let again = try await woken(on: management) {
                _ = try await management.addTeam(der: team.certificateDER, author: "admin")
            }
            #expect(again.isEmpty, "it is there")
            let offered = try await woken(on: management) { () async throws in
                #expect(try await host(team.package(), on: management).value != nil)
            }
            #expect(offered == ["teachers"])
            let kept = try await woken(on: management) { () async throws in
                #expect(try await host(team.package(version: "2"), isOffered: false, on: management).value != nil)
            }
            #expect(kept.isEmpty, "no source names it")
            let removed = try await woken(on: management) { () async throws in
                #expect(try await management.removeTeam(fingerprint, author: "admin") == nil)
            }
            #expect(removed == ["others", "teachers"])
        }
    }

    /// A newer package is had as the one before was: nobody's optional app becomes one that is forced on people.
    @Test func aNewerPackageComesAsTheOneBefore() async throws {
        let team = try TeamPackage()
        try await with { management, _ in
            _ = try await management.addTeam(der: team.certificateDER, author: "admin")
            func source() async throws -> AppSource? {
                try await management.appSources(of: Self.app).value?.first { $0.origin == .package }
            }
            let first = try team.package(version: "1"), second = try team.package(version: "2")
            #expect(try await host(first, on: management).value != nil)
            #expect(
                try await source()
                    == AppSource(platform: .linux, location: .package(sha256: Self.digest(first)), install: .required))
            func optional(_ package: Data) -> AppSource {
                AppSource(
                    platform: .linux, location: .package(sha256: Self.digest(package)), install: .optional,
                    updates: .never, minimumOS: SystemVersion("12"), minimumAgent: SystemVersion("0.1"))
            }
            #expect(try await management.putAppSource(optional(first), of: Self.app, author: "admin").value != nil)
            #expect(try await host(second, on: management).value != nil)
            #expect(try await source() == optional(second))
        }
    }

    /// A certificate that has ended makes nobody's packages trusted, whether it comes then or was there before.
    @Test func aTeamIsTrustedUntilItsCertificateEnds() async throws {
        let team = try TeamPackage()
        try await with { management, clock in
            clock.advance(by: TeamPackage.notAfter.timeIntervalSince(clock.now) - 600)
            #expect(try await management.addTeam(der: team.certificateDER, author: "admin").value != nil)
            #expect(try await host(team.package(), on: management).value != nil)
            clock.advance(by: 601)
            let late = try await host(team.package(version: "2"), on: management).refusal
            #expect(late?.kind == .invalid, "\(late?.reason ?? "taken")")
            let fingerprint = try #require(try await management.teams().first?.team.fingerprint)
            #expect(try await management.removeTeam(fingerprint, author: "admin") == nil)
            let refusal = try await management.addTeam(der: team.certificateDER, author: "admin").refusal
            #expect(refusal == .invalid(rule: "The certificate has expired."))
            #expect(try await management.teams().isEmpty)
        }
    }

    /// A slow upload is somebody's for as long as it takes; once nobody goes on with it, it goes.
    @Test func anUploadThatSomebodyIsAtIsNotSweptAway() async throws {
        let package = try TeamPackage().package(bytes: 10_000)
        let digest = Self.digest(package)
        try await with { management, clock in
            func received() async throws -> Int? {
                try await management.packageProgress(digest, of: Self.app).value?.received
            }
            let half = package.count / 2
            let progress = try await management.uploadPackage(
                digest, of: Self.app, range: 0..<package.count, total: package.count
            ) { upload in
                if let refusal = try await upload.write(package.prefix(half)) { return refusal }
                clock.advance(by: 25 * 3_600)
                try await management.maintain()
                return try await upload.write(package.dropFirst(half))
            }
            #expect(progress.value?.received == package.count)
            #expect(try await received() == package.count)
            clock.advance(by: 2 * 3_600)
            try await management.maintain()
            #expect(try await received() == 0)
        }
    }
}
