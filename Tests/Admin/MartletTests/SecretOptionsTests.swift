import AdminMessages
import ArgumentParser
import Foundation
import Testing
import martlet

/// How an administrator says what a secret is made of.
struct SecretOptionsTests {
    private func request(_ arguments: String...) throws -> SecretRequest {
        try SecretOptions.parse(arguments).request(named: "secret")
    }

    private func complaint(_ arguments: [String]) -> String {
        do {
            _ = try SecretOptions.parse(arguments)
            return ""
        } catch {
            return SecretOptions.message(for: error)
        }
    }

    /// Writes a file that goes away.
    private func withFile(_ bytes: Data, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-secret-\(UUID().uuidString)")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test(arguments: [
        (["--certificate", "a", "--pkcs12", "b"], "give only one of --certificate, --pkcs12, --scep and --acme"),
        (["--scep", "--acme"], "give only one of --certificate, --pkcs12, --scep and --acme"),
        (["--certificate", "a", "--user-name", "u"], "belongs to a password"),
        (["--certificate", "a", "--password-stdin"], "--password-stdin belongs"),
        (["--subject", "CN=a"], "--subject belongs to --scep or --acme"),
        (["--pkcs12", "a", "--attest"], "--attest belongs to --scep or --acme"),
        (["--scep"], "--subject"),
        (["--scep", "--subject", "Alice"], "parts such as CN="),
        (["--scep", "--subject", "CN=a", "--attest"], "--attest belongs to --acme"),
        (["--acme", "--subject", "CN=a", "--challenge-stdin"], "--challenge-stdin belongs to --scep"),
        (["--acme", "--subject", "CN=a", "--attest"], "needs --hardware-bound"),
        (["--acme", "--subject", "CN=a", "--key-type", "DSA"], "EC or RSA"),
        (["--scep", "--subject", "CN=a", "--ca-name", "x"], "give its --url"),
        (["--scep", "--subject", "CN=a", "--url", "https://a", "--ca-fingerprint", "ab"], "64 hexadecimal"),
        (["--scep", "--subject", "CN=a", "--url", "http://a"], "give its --ca-fingerprint"),
        (["--acme", "--subject", "CN=a", "--url", "http://a"], "begins with https://"),
    ])
    func saysWhichOptionsDoNotGoTogether(arguments: [String], sentence: String) {
        let said = complaint(arguments)
        #expect(said.contains(sentence), "\(said)")
    }

    /// No option takes a value that must stay secret.
    @Test func noValueIsAnArgument() {
        for option in ["--password", "--challenge"] {
            #expect(complaint([option, "hunter2"]).contains("Unknown option"))
        }
    }

    @Test func aRecipeForSCEPNamesWhomToCertify() throws {
        let made = try request(
            "--scep", "--url", "https://ca.example/scep", "--ca-name", "Main", "--subject",
            #"CN=${device.serialNumber}, O=Example\, Inc."#, "--dns", "a.example", "--key-size", "4096")
        #expect(
            made
                == .scep(
                    SCEPSecret(
                        url: "https://ca.example/scep", name: "Main",
                        subject: [["CN", "${device.serialNumber}"], ["O", "Example, Inc."]],
                        subjectAltName: SubjectAltName(dns: "a.example"), keySize: 4_096)))
    }

    @Test func aRecipeForACMESaysWhereTheKeyLives() throws {
        let made = try request("--acme", "--subject", "CN=a", "--hardware-bound", "--attest", "--key-type", "ec")
        #expect(
            made == .acme(ACMESecret(subject: [["CN", "a"]], keyType: "EC", hardwareBound: true, attest: true)))
        #expect(try request("--acme", "--subject", "CN=a") == .acme(ACMESecret(subject: [["CN", "a"]])))
    }

    @Test func aCertificateIsSentAsItsFileIs() throws {
        let bytes = Data("-----BEGIN CERTIFICATE-----\n".utf8)
        try withFile(bytes) { path in
            let made = try request("--certificate", path)
            #expect(made == .certificate(CertificateSecret(file: bytes)))
        }
    }

    @Test func aPrivateKeyBesideACertificateStaysHere() throws {
        for kind in ["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
            try withFile(Data("-----BEGIN CERTIFICATE-----\n-----BEGIN \(kind)-----\n".utf8)) { (path) throws in
                let failure = #expect(throws: Failure.self) { try request("--certificate", path) }
                #expect(failure?.status == .refused)
                #expect(failure?.text.contains("--pkcs12") == true)
            }
        }
    }

    @Test func aFileIsReadOnlyUpToTheBound() throws {
        try withFile(Data(count: SecretSize.file)) { path in _ = try SecretInput.file(at: path) }
        try withFile(Data(count: SecretSize.file + 1)) { path in
            let failure = #expect(throws: Failure.self) { try SecretInput.file(at: path) }
            #expect(failure?.reason == SecretSize.fileRule)
        }
        #expect(throws: Failure.self) { try SecretInput.file(at: "/nowhere/at/all") }
        #expect(throws: Failure.self) { try SecretInput.file(at: "/dev/zero") }
    }

    @Test(arguments: [
        ("CN=a", [["CN", "a"]]), (" CN = a , O=b ", [["CN", "a"], ["O", "b"]]),
        (#"CN=a\,b\\"#, [["CN", #"a,b\"#]]), ("1.2.3=x=y", [["1.2.3", "x=y"]]),
    ])
    func readsASubjectAsPeopleWriteIt(text: String, pairs: [[String]]) {
        #expect(SubjectText.pairs(in: text) == pairs)
    }

    @Test(arguments: ["", "CN", "CN=", "=a", "CN=a,", "CN=a,,O=b"])
    func refusesWhatIsNoSubject(text: String) {
        #expect(SubjectText.pairs(in: text) == nil)
    }
}
