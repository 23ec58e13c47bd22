import Foundation
import Testing
import Waiting

/// A root that an administrator sets and gives to a group, with the real processes.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct RootCertificateRoadTests {
    /// An authority's certificate that ended in 2021; openssl makes none in the past without a directory of its own.
    private static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBRzCB7aADAgECAgEBMAoGCCqGSM49BAMCMBMxETAPBgNVBAMMCG9sZCByb290
        MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowEzERMA8GA1UEAwwIb2xk
        IHJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT+EiPk2xYAXgIrImTt8waE
        HHK6qIMtHKuwj8/K74Fu6vpAsj9RDoVyZtMipR7Wu5XOhRSeCRIzHaYP9/9NikMU
        ozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSxhkOC0XHQtW8d4iqP0nLp
        9FUovTAKBggqhkjOPQQDAgNJADBGAiEA1gg7X97BtsvaBf0uqEx4lm8F3omRtFYP
        jJwD3kLi4+MCIQDZevN4FTGWjpVuOIbu8S6+wywY1khHiN/8AE9RyJ0QSw==
        -----END CERTIFICATE-----
        """

    /// Managed apps trust a root that is assigned, and no more once that is taken back.
    ///
    /// What is no root is refused with the rule, and nothing of it is kept.
    @Test func anAssignedRootIsTrustedUntilItIsTakenBack() async throws {
        try await Road.with { road in
            try await make("root", "CA:TRUE", on: road)
            try await make("leaf", "CA:FALSE", on: road)
            try Data(Self.expired.utf8).write(to: road.home.appending(path: "old.pem"))
            func file(_ name: String) -> String { road.home.appending(path: name).path }
            try await road.enroll()

            let notOfAuthority = try await road.martlet(
                "setting", "set", "root-certificate", "leaf", file("leaf.pem"), status: 4)
            #expect(notOfAuthority.contains("its basic constraints do not say CA"), "\(notOfAuthority)")
            let tooOld = try await road.martlet(
                "setting", "set", "root-certificate", "old", file("old.pem"), status: 4)
            #expect(tooOld.contains("The certificate expired at 2021-01-01T00:00:00Z"), "\(tooOld)")
            #expect(try await road.martlet("setting", "list").contains("No settings yet"))

            try await road.martlet("setting", "set", "root-certificate", "proxy", file("root.pem"))
            let again = try await road.martlet("setting", "set", "root-certificate", "proxy", file("root.der"))
            #expect(again.contains("as before: nothing changes"), "the same in DER: \(again)")
            try await road.martlet("setting", "assign", "teachers", "root-certificate", "proxy")
            let wanted = try Self.base64(String(contentsOfFile: file("root.pem"), encoding: .utf8))
            try await eventually("apps trust the root") { Self.trusted(on: road).contains(wanted) }
            try await road.synchronised()
            let explained = try await road.martlet("device", "explain", road.udid)
            #expect(explained.contains("root-certificate proxy, version 1"), "\(explained)")
            #expect(!explained.contains("withheld"), "\(explained)")

            try await road.martlet("setting", "remove", "root-certificate", "proxy", status: 4)
            try await road.martlet("setting", "unassign", "teachers", "root-certificate", "proxy")
            try await eventually("apps trust the root no more") { !Self.trusted(on: road).contains(wanted) }
            try await road.martlet("setting", "remove", "root-certificate", "proxy")
        }
    }

    /// Makes a certificate that its own key signed, in PEM and in DER.
    private func make(_ name: String, _ constraints: String, on road: Road) async throws {
        try await road.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key \\
            -out \(name).pem -days 365 -subj '/CN=\(name)' -addext basicConstraints=critical,\(constraints) \\
            2> /dev/null && openssl x509 -in \(name).pem -outform DER -out \(name).der
            """)
    }

    /// What managed apps find as the file of roots, without line breaks; nothing where the machine has none.
    private static func trusted(on road: Road) -> String {
        joined((try? String(contentsOfFile: road.agentDirectory + "/trust/roots.pem", encoding: .utf8)) ?? "")
    }

    /// The certificate of a file in PEM.
    private static func base64(_ pem: String) throws -> String {
        let text = joined(pem)
        let begin = try #require(text.range(of: "-----BEGIN CERTIFICATE-----"))
        let end = try #require(text.range(of: "-----END CERTIFICATE-----"))
        return String(text[begin.upperBound..<end.lowerBound])
    }

    private static func joined(_ text: String) -> String { text.filter { !$0.isNewline } }
}
