import CraftedPackages
import DeviceMessages
import Foundation
import PlayedAgent
import SwiftASN1
import Testing
import Waiting
import X509

/// A web server that has packages which were made to do harm, and an enrolled device that is to install them.
struct HostileWeb {
    static let app = "com.example.app"

    let road: Road
    private let nginx: Nginx
    private let team: Team
    private let stranger: Team

    static func with(_ body: (HostileWeb) async throws -> Void) async throws {
        try await Road.with { road in
            // Both call themselves by one name; only the certificate of one was added.
            let team = try makeTeam(), stranger = try makeTeam()
            let certificate = try Certificate(derEncoded: [UInt8](team.certificateDER))
            let kept = road.home.appending(path: "team.pem")
            try Data(try certificate.serializeAsPEM().pemString.utf8).write(to: kept)
            try await road.martlet("team", "add", kept.path)
            try await road.martlet("app", "create", app, "--name", "App")
            let authority = try TestAuthority("Somebody's authority")
            let trusted = road.home.appending(path: "trusted.pem")
            try Data(try authority.certificate.serializeAsPEM().pemString.utf8).write(to: trusted)
            try await Nginx.run(on: road, authority: authority, .everybody(bytesPerSecond: 50_000_000)) { nginx in
                let enrolled = try await road.tryToEnroll(code: road.enrollmentCode())
                #expect(enrolled.status == 0, "\(enrolled.text)")
                try await road.startAgent(whereTheSystemTrusts: trusted.path)
                try await road.martlet("assign", "teachers", app)
                try await body(HostileWeb(road: road, nginx: nginx, team: team, stranger: stranger))
            }
        }
    }

    private static func makeTeam() throws -> Team {
        try Team("Team") { form in
            form.notBefore = Date() - 3_600
            form.notAfter = Date() + 86_400
        }
    }

    /// Has the web server offer a package, and its manifest; an honest one if there is no attack.
    func publish(_ attack: PackageAttack?) throws -> AttackedPlace {
        let name = attack.map { "\($0)" } ?? "honest"
        let file = nginx.pages.appending(path: name + ".tar.zst")
        let place = try AttackedPlace(name: name, package: file.path, below: road.home)
        let bytes =
            try attack?.package(place, team: team, stranger: stranger) ?? Craft().bytes(by: team, now: Date())
        try Data(bytes).write(to: file)
        let manifest = AppManifest(
            bundleIdentifier: Self.app, bundleVersion: "1", title: "App", url: "\(nginx.url)/\(name).tar.zst",
            check: .none)
        try manifest.encoded().write(to: nginx.pages.appending(path: name + ".plist"))
        return place
    }

    /// What the naive device says of a package.
    func naive(_ place: AttackedPlace, wanting wanted: PackageAttack.Wanted) async throws -> String {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Impostors/naive_installer.py").standardizedFileURL
        let told = try await road.shell(
            "/usr/bin/python3 '\(script.path)' '\(place.package)' '\(place.app)' \(wanted) team.pem")
        return told.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Has the device get a package from now on.
    func offer(_ place: AttackedPlace) async throws {
        try await road.martlet(
            "app", "source", "set", Self.app, "--platform", "linux", "--manifest", "\(nginx.url)/\(place.name).plist")
    }

    /// What the agent wrote down of packages that it did not install.
    func refusals() throws -> [String] {
        try road.agent.output.map(\.text).filter { $0.contains("an app could not be installed") }
    }

    /// Waits until the agent has refused so many packages.
    func refused(_ count: Int, _ what: String) async throws {
        let last = { (try? refusals()) ?? [] }
        try await eventually("\(what): refused, but the agent says \(last())") {
            try await road.refusals("package") >= count
        }
        // What it wrote down is read a moment later than what it counts is told.
        try await eventually("\(what): written down, but the agent says \(last())") { try refusals().count >= count }
    }
}
