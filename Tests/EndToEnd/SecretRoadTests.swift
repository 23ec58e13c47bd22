import Foundation
import PlayedAgent
import SwiftASN1
import Testing
import Waiting
import X509

/// Each kind of secret from the administrator to the app, with the real processes: set, given, another value, taken away.
///
/// A04 to A09, A11.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct SecretRoadTests {
    /// S4-API-02, S4-SECRET-01, S4-SECRET-04, S4-SECRET-05: whatever happens to passwords, the running app hears of it.
    @Test func aPasswordReachesTheRunningAppIsReplacedAndIsTakenAway() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.synchronised()
            let running = try app.follow()
            try await running.says("password", [])
            try await running.says("certificate", [])

            // A kilobyte of what people type.
            let first = String(repeating: "Zaunkönig 🐦 ", count: 64)
            try await road.setPassword("landmarks-api", first, userName: "guest")
            try await app.give("landmarks-api", as: "account")
            try await running.says("password", ["account=\(sum(first))"])

            // S4-BP-03: the identifiers come again, the same ones, and the next look-up has the new value.
            try await road.setPassword("landmarks-api", "another", userName: "guest")
            try await running.says("password", ["account=\(sum("another"))"])
            #expect(try await app.ask("password", "account") == "account=\(sum("another"))")

            // One secret under two identifiers, and one more: three.
            var mark = running.mark
            try await app.give("landmarks-api", as: "account-2")
            try await road.setPassword("wifi", "third")
            try await app.give("wifi", as: "wifi")
            let three = ["account", "account-2"].map { "\($0)=\(sum("another"))" } + ["wifi=\(sum("third"))"]
            try await running.says("password", three, after: mark)

            // Each kind is a list of its own.
            mark = running.mark
            let root = try TestAuthority("Organization")
            try await road.setCertificate("root", pem: try root.certificate.serializeAsPEM().pemString)
            try await app.give("root", as: "account")
            try await running.says("certificate", ["account=\(try root.der().base64EncodedString())"], after: mark)
            let other = try TestAuthority("Organization")
            try await road.setCertificate("root", pem: try other.certificate.serializeAsPEM().pemString)
            try await running.says("certificate", ["account=\(try other.der().base64EncodedString())"], after: mark)
            #expect(!running.output.dropFirst(mark).contains { $0.text.hasPrefix("password") })

            // Taken away: the running app hears of it, and whoever asks is told so.
            for identifier in ["account", "account-2", "wifi"] {
                try await road.martlet(
                    "secret", "unassign", "teachers", app.app.identifier, "--identifier", identifier, "--kind",
                    "password")
            }
            try await running.says("password", [], after: mark)
            for identifier in ["account", "never-there"] {
                #expect(try await app.ask("password", identifier) == "\(identifier): invalidIdentifier")
            }
            #expect(try await app.ask("certificate", "account").hasPrefix("account=MII"))
        }
    }

    /// D2: a kernel that does not say who is behind a socket (before Linux 6.5) withholds nothing from an app of our library;
    /// nor does an agent that came after the app.
    @Test(.enabled(if: Road.appsHaveUsers, "only root gives apps users"))
    func anAppHasItsSecretsOnAKernelThatSaysLess() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.setPassword("vault", "first")
            try await app.give("vault", as: "account")
            try await road.synchronised()
            let oldKernel = try Impostors(road: road, app: app.app).script("old_kernel.py")
            try await road.stop(try road.agent)
            try await road.startAgent(through: "/usr/bin/python3", oldKernel)
            let running = try app.follow()
            try await running.says("password", ["account=\(sum("first"))"])
            #expect(try await app.ask("password", "account") == "account=\(sum("first"))")
            try await road.stop(try road.agent)
            try await road.startAgent(through: "/usr/bin/python3", oldKernel)
            try await road.setPassword("vault", "second")
            try await running.says("password", ["account=\(sum("second"))"])
            #expect(try await road.refusals("withheld") == 0)
        }
    }

    /// S4-DATA-04, S4-API-03, S4-SECRET-09: files of three makers; the app signs with each key, and never has one.
    @Test func anIdentityOfAPKCS12FileSignsInTheAppWhoeverMadeTheFile() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            let modern = try await road.makePKCS12("modern", password: "of-modern")
            let legacy = try await road.makePKCS12("legacy", password: "of-legacy", key: "rsa:2048", "-legacy")
            try await road.setIdentity("badge", pkcs12: modern, password: "of-modern")
            try await app.give("badge", as: "client")
            try await road.synchronised()
            let running = try app.follow()
            var certificate = try await running.identity("client")
            #expect(certificate.subject.description.contains("modern"))

            // The former file stays what serves when the next one cannot be opened.
            let refused = try await road.run(
                "martlet", ["secret", "set", "badge", "--pkcs12", legacy.path, "--password-stdin"],
                input: "of-modern\n")
            #expect(refused.status == 4 && refused.text.contains("the password does not open the file"))

            for (file, password, name) in [
                (legacy, "of-legacy", "legacy"), (Self.keystore, "keystore-password", "Java keystore"),
            ] {
                let mark = running.mark
                try await road.setIdentity("badge", pkcs12: file, password: password)
                certificate = try await running.identity("client", after: mark, other: certificate)
                #expect(certificate.subject.description.contains(name))
            }
            #expect(!running.output.contains { $0.text.contains("exported") })

            let mark = running.mark
            try await app.withdraw("client")
            try await running.says("identity", [], after: mark)
            #expect(try await app.ask("identity", "client") == "client: invalidIdentifier")
        }
    }

    /// Made once by Java's `keytool -genkeypair -keyalg RSA -storetype PKCS12`.
    private static let keystore = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden/keystore.p12")

    /// S4-DATA-05, S4-SECRET-09, S4-LIC-06: by SCEP the key is made on the device and is nowhere else.
    ///
    /// The second recipe names another authority, which asks for an enrollment code.
    @Test func anIdentityBySCEPIsMadeOnTheDeviceAndReplacedByAnother() async throws {
        try await expectIdentity(["--scep", "--subject", "CN=${device.udid},O=One"]) { road in
            let own = ["--scep", "--url", road.url + "/scep", "--subject", "CN=client", "--challenge-stdin"]
            try await road.setSecret("client", own, input: try await road.enrollmentCode() + "\n")
            return (authority: "ca.pem", subject: "CN=")
        }
    }

    /// S4-DATA-06, S4-GOAL-06, S4-SECRET-09: the same by ACME; the app knows of neither authority nor protocol.
    @Test func anIdentityByACMEIsMadeOnTheDeviceAndReplacedByAnother() async throws {
        try await expectIdentity(["--acme", "--subject", "CN=${device.udid},O=One"]) { road in
            let other = ["--acme", "--subject", "CN=${device.udid},O=Two", "--key-type", "RSA", "--key-size", "2048"]
            try await road.setSecret("client", other)
            return (authority: "identities.pem", subject: "O=Two")
        }
    }

    /// Gives an app an identity by a recipe; `replace` sets another one and says who is to vouch for whom then.
    private func expectIdentity(
        _ recipe: [String], replace: (Road) async throws -> (authority: String, subject: String)
    ) async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.setSecret("client", recipe)
            try await app.give("client", as: "client")
            try await road.synchronised()
            let running = try app.follow()
            let first = try await running.identity("client")
            #expect(first.subject.description.contains(road.udid))
            try await road.verify(first, against: "identities.pem")

            // A new version is a new key.
            var mark = running.mark
            let wanted = try await replace(road)
            let second = try await running.identity("client", after: mark, other: first)
            #expect(second.publicKey != first.publicKey)
            #expect(second.subject.description.contains(wanted.subject))
            try await road.verify(second, against: wanted.authority)

            // What was replaced still counts; what was withdrawn does for nobody, not even what was replaced before.
            let isOwn = wanted.authority == "identities.pem"
            let issued = isOwn ? [first, second] : [first]
            for certificate in issued { #expect(try await road.status(of: certificate) == "good") }
            mark = running.mark
            try await app.withdraw("client")
            try await running.says("identity", [], after: mark)
            #expect(try await app.ask("identity", "client") == "client: invalidIdentifier")
            for certificate in issued {
                try await eventually("it is revoked") { try await road.status(of: certificate) == "revoked" }
                // The server signs a list once a minute.
                try await eventually("it is listed as such") {
                    try await road.listedStatus(of: certificate) == "revoked"
                }
            }

            // Given again, it is issued anew.
            guard isOwn else { return }
            mark = running.mark
            try await app.give("client", as: "client")
            let third = try await running.identity("client", after: mark, other: second)
            #expect(third.publicKey != second.publicKey)
            #expect(try await road.status(of: third) == "good")
            #expect(try await road.listedStatus(of: third) == "good")
            #expect(try await road.martlet("audit", "verify").contains("each follows"))
        }
    }

    /// S4-SECRET-01: not given to the app, not issued by the authority, not possible here: each is another error.
    @Test func anAppIsToldWhyAnIdentityIsNotThere() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            func says(_ identifier: String, _ error: String) async throws {
                var last = ""
                try await eventually("\(identifier): \(error), but \(last)") { () -> Bool in
                    last = try await app.ask("identity", identifier)
                    return last == "\(identifier): \(error)"
                }
            }
            // Nobody listens there.
            try await road.setSecret("away", ["--scep", "--url", "https://localhost:1/scep", "--subject", "CN=x"])
            try await app.give("away", as: "away")
            try await says("away", "serverError")
            try await says("never-given", "invalidIdentifier")
            try await app.withdraw("away")
            try await says("away", "invalidIdentifier")
            // There is no chip.
            try await road.setSecret("chip", ["--acme", "--hardware-bound", "--subject", "CN=x"])
            try await app.give("chip", as: "chip")
            try await says("chip", "internalError")
        }
    }
}

extension Road {
    /// `openssl` agrees that an authority of the road's server has issued a certificate.
    func verify(_ certificate: Certificate, against authority: String) async throws {
        try Data(try certificate.serializeAsPEM().pemString.utf8).write(to: home.appending(path: "issued.pem"))
        let said = try await shell("openssl verify -CAfile server/\(authority) issued.pem")
        #expect(said == "issued.pem: OK")
    }

    /// What `openssl` hears of a certificate when it asks the server.
    func status(of certificate: Certificate) async throws -> String {
        let authority = try write(certificate)
        let answer = try await shell(
            "openssl ocsp -issuer \(authority) -cert asked.pem -CAfile \(authority) -url \(url)/pki/ocsp 2>&1")
        #expect(answer.contains("Response verify OK") && !answer.contains("WARNING"), "\(answer)")
        return answer.contains("asked.pem: revoked") ? "revoked" : answer.contains("asked.pem: good") ? "good" : answer
    }

    /// What `openssl` finds in the server's list, which is signed once a minute.
    func listedStatus(of certificate: Certificate) async throws -> String {
        let authority = try write(certificate)
        let answer = try await shell(
            """
            curl -sSk -o list.der \(url)/pki/crl && openssl crl -inform DER -in list.der -out list.pem \
            && { openssl verify -crl_check -CRLfile list.pem -CAfile \(authority) asked.pem 2>&1 || true; }
            """)
        return answer.contains("certificate revoked") ? "revoked" : answer.contains("asked.pem: OK") ? "good" : answer
    }

    private func write(_ certificate: Certificate) throws -> String {
        try Data(try certificate.serializeAsPEM().pemString.utf8).write(to: home.appending(path: "asked.pem"))
        return "server/identities.pem"
    }
}
