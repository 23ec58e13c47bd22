import CertificateAuthority
import Foundation
import ServerHTTP
import Testing

/// The files of a certificate, the operator's and the server's own.
final class CertificateFilesTests: Sendable {
    private let folder: URL
    private let issued: (certificatePEM: String, keyPEM: String)
    private let authority: Authority

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        authority = try SharedAuthority.authority()
        issued = try authority.issueServer(hostnames: ["mdm.example"], now: Date())
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file.path
    }

    private func refusal(_ certificate: String, _ key: String) -> String? {
        let files = CertificateFiles(certificate: certificate, key: key)
        do {
            _ = try files.load(hostnames: [])
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func aChainAndItsKeyAreTakenFromTwoFilesOrFromOne() throws {
        let chain = issued.certificatePEM + "\n" + authority.certificatePEM + "\n"
        let two = CertificateFiles(
            certificate: try write("chain", chain, mode: 0o644), key: try write("key", issued.keyPEM))
        let loaded = try two.load(hostnames: ["mdm.example", "other.example"])
        #expect(loaded.chain.count == 2)
        #expect(loaded.uncovered == ["other.example"], "the name that is not covered is named")
        let both = try write("both", chain + issued.keyPEM)
        #expect(try CertificateFiles(certificate: both, key: both).load(hostnames: []).end == loaded.end)
    }

    /// Each names the file and what to do.
    ///
    /// Red where one error stood for all, and where a key was taken however open.
    @Test func whatCannotBeUsedIsNamedWithItsRemedy() throws {
        let certificate = try write("certificate", issued.certificatePEM)
        let key = try write("key", issued.keyPEM)
        let other = try authority.issueServer(hostnames: ["mdm.example"], now: Date())
        let cases: [(certificate: String, key: String, words: [String])] = [
            (folder.path + "/none", key, ["/none", "--certificate-file", "cannot be read"]),
            (certificate, folder.path + "/none", ["/none", "--key-file", "cannot be read"]),
            // Red where one sentence had three reasons, and a directory was "cannot be read".
            (folder.path, key, ["--certificate-file", "is a directory"]),
            (certificate, folder.path, ["--key-file", "is a directory", "private key"]),
            (try write("nothing", ""), key, ["/nothing", "--certificate-file", "is empty", "certificate in PEM"]),
            (certificate, try write("void", ""), ["/void", "--key-file", "is empty", "private key"]),
            (certificate, try write("open", issued.keyPEM, mode: 0o644), ["/open", "chmod 600"]),
            (try write("garbage", "garbage"), key, ["/garbage", "no certificate"]),
            (certificate, try write("empty", "garbage"), ["/empty", "no private key"]),
            (certificate, try write("other", other.keyPEM), ["/other", "/certificate", "does not belong"]),
            (
                try write("order", authority.certificatePEM + "\n" + issued.certificatePEM), key,
                ["/order", "first"]
            ),
            (
                certificate,
                try write(
                    "locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n"),
                ["/locked", "passphrase"]
            ),
        ]
        for (certificate, key, words) in cases {
            let rule = try #require(refusal(certificate, key), "\(words)")
            for word in words { #expect(rule.contains(word), "\(rule)") }
            #expect(!rule.contains("BEGIN") && !rule.contains(issued.keyPEM))
        }
    }

    /// Red where the first line alone decided: an operator's key under it was overwritten.
    @Test func onlyWhatTheServerWroteIsTakenForItsOwn() throws {
        let text = try OwnCertificate.text(for: ["mdm.example"], of: authority, now: Date())
        #expect(OwnCertificate(parsing: text) != nil)
        let header = String(text.prefix { $0 != "\n" })
        let other = try authority.issueServer(hostnames: ["mdm.example"], now: Date())
        let chain = other.certificatePEM + "\n" + authority.certificatePEM + "\n"
        let identities = try SharedAuthority.identityAuthority()
        for foreign in [
            "", "garbage", header, header + "\ngarbage\n",
            // A chain and a key of the operator's own, with and without that line.
            chain + other.keyPEM, header + "\n" + other.certificatePEM + "\n" + other.keyPEM,
            header + "\n" + other.certificatePEM + "\n" + identities.certificatePEM + "\n" + other.keyPEM,
            // A key was put in the place of the server's.
            header + "\n" + chain + issued.keyPEM,
        ] {
            #expect(OwnCertificate(parsing: foreign) == nil, "\(foreign.prefix(80))")
        }
    }

    @Test func itGoesOnWhileItIsForTheseNamesAndFarFromItsEnd() throws {
        let own = try #require(
            OwnCertificate(parsing: try OwnCertificate.text(for: ["mdm.example"], of: authority, now: Date())))
        let end = own.loaded.end
        #expect(own.serves(["mdm.example"], of: authority, now: Date()))
        #expect(!own.serves(["mdm.example", "other.example"], of: authority, now: Date()))
        #expect(!own.serves(["mdm.example"], of: try SharedAuthority.identityAuthority(), now: Date()))
        #expect(own.serves(["mdm.example"], of: authority, now: end - 31 * 86_400))
        #expect(!own.serves(["mdm.example"], of: authority, now: end - 29 * 86_400))
    }

    /// Red while the end alone decided: what was issued by a clock four years ahead was shown for four years, and refused.
    @Test func whatAClockThatWasAheadIssuedIsNotKept() throws {
        let ahead = Date() + 4 * 365 * 86_400
        let own = try #require(
            OwnCertificate(parsing: try OwnCertificate.text(for: ["mdm.example"], of: authority, now: ahead)))
        #expect(own.serves(["mdm.example"], of: authority, now: ahead))
        #expect(!own.serves(["mdm.example"], of: authority, now: Date()))
    }

    /// Red where the end alone decided: an authority in its last month had a certificate issued each minute.
    @Test func anAuthorityThatEndsSoonIsNotAskedAgainAndAgain() throws {
        let now = Date()
        let ending = try Authority.create(
            commonName: "Ending", keyPEM: authority.keyPEM, now: now, validity: 20 * 86_400)
        let own = try #require(
            OwnCertificate(parsing: try OwnCertificate.text(for: ["mdm.example"], of: ending, now: now)))
        #expect(own.serves(["mdm.example"], of: ending, now: now + 86_400))
    }

    @Test(
        arguments: [
            (30.5, nil), (30, 30), (8, 30), (7, 7), (1.5, 7), (1, 1), (0.1, 1), (0, 0), (-3, 0),
        ] as [(Double, Int?)])
    func theNarrowestWarningHolds(days: Double, warning: Int?) {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(CertificateEnd.warning(now + days * 86_400, now: now) == warning)
    }
}
