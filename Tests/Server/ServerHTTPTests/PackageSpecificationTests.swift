import AdminMessages
import Foundation
import Testing

/// What becomes of the specification in a package.
extension PackageTests {
    /// A15, S4-SPEC-02: the specification in a package counts for the package's version from then on; one that is set by
    /// hand stays, and one that is wrong refuses no package, but is said to be.
    @Test func thePackagesSpecificationIsTakenUp() async throws {
        let team = try TeamPackage()
        try await with(team) { server, admin in
            func specification(_ most: Int, more: String = "") -> String {
                #"{"x-app": {"bundleIdentifier": "org.swift.landmarks"\#(more)}, "#
                    + #""properties": {"title": {"type": "string", "maxLength": \#(most)}}}"#
            }
            func host(_ version: String, _ text: String) async throws -> AdminMessages.PackagedSpecification? {
                let answer = try await upload(admin, team.package(version: version, specification: text))
                try #require(answer.status == 200, "\(answer.text)")
                return try AdminJSON.decode(Package.self, from: answer.body).specification
            }
            let taken = try #require(try await host("1", specification(2)))
            #expect(taken.taken && taken.version == "1" && taken.note == nil)
            #expect(taken.warnings.map { $0.contains("The configuration default is refused") } == [true])
            let longer = try await admin.send(
                "PUT", Self.app + "/configurations/default", body: AdminClient.configuration(title: "longer"))
            #expect(longer.status == 422)
            let listed: AdminMessages.Page<SpecificationSummary> = try await admin.get(Self.app + "/specifications")
            let packages: AdminMessages.Page<Package> = try await admin.get(Self.app + "/packages")
            #expect(listed.items.map(\.package) == [packages.items.first?.sha256])
            let entries: AdminMessages.Page<AdminMessages.AuditEntry> = try await admin.get(
                "/audit?action=specification.set")
            #expect(entries.items.count == 1)

            let put = try await admin.send(
                "PUT", Self.app + "/specifications/2", headers: ["Content-Type": "application/json"],
                body: Data(specification(50).utf8))
            #expect(put.status == 200)
            let kept = try #require(try await host("2", specification(3)))
            #expect(!kept.taken && kept.note?.hasPrefix("The one that an administrator set") == true)
            for (version, text, note) in [
                ("3", "{", "is refused"), ("4", specification(9, more: #", "version": "7""#), "of another version"),
                ("5", specification(9).replacing("org.swift", with: "org.other"), "of another app"),
            ] {
                let wrong = try #require(try await host(version, text))
                #expect(!wrong.taken && wrong.note?.contains(note) == true, "\(wrong)")
            }
            let versions: AdminMessages.Page<SpecificationSummary> = try await admin.get(Self.app + "/specifications")
            #expect(versions.items.map(\.version) == ["2", "1"])
            #expect(try await upload(admin, team.package(version: "6")).text.contains("\"specification\"") == false)
        }
    }
}
