import AdminMessages
import CertificateAuthority
import Foundation
import InputBounds
import ServerHTTP
import TestLog
import Testing

/// Secrets over the administrator's API: values go in, and nothing that comes out holds one.
@Suite struct SecretTests {
    private static let app = "org.swift.landmarks"
    private static let sha1 = String(repeating: "ab", count: 20)
    private static let place = "/secret-assignments/teachers/\(app)"

    @Test("S4-CAP-04: a secret is set, described, assigned, withdrawn and removed")
    func aSecretIsSetAssignedWithdrawnAndRemoved() async throws {
        try await withLandmarks { (_, admin) async throws in
            let set = try await admin.send("PUT", "/secrets/wifi", password("first"))
            #expect(set.status == 200, "\(set.text)")
            #expect(set.headers["etag"] == "\"v1\"")
            let secret = try await admin.get("/secrets/wifi", Secret.self)
            #expect(secret.kind == .password && secret.version == 1 && secret.author == "admin")
            #expect(secret.facts.hasUserName == true)
            let assigned = try await admin.send(
                "PUT", Self.place + "/password/wifi", SecretAssignmentRequest(secret: "wifi"))
            #expect(assigned.status == 200, "\(assigned.text)")
            let expected = SecretAssignment(
                group: "teachers", app: Self.app, kind: .password, identifier: "wifi", secret: "wifi")
            #expect(try await admin.get(Self.place + "/password/wifi") == expected)
            for filter in ["", "?secret=wifi", "?group=teachers", "?app=\(Self.app)"] {
                let page: AdminMessages.Page<SecretAssignment> = try await admin.get("/secret-assignments" + filter)
                #expect(page.items == [expected], "\(filter)")
            }
            let none: AdminMessages.Page<SecretAssignment> = try await admin.get("/secret-assignments?secret=other")
            #expect(none.items.isEmpty)
            // What is in use cannot be removed.
            #expect(try await admin.send("DELETE", "/secrets/wifi").status == 409)
            #expect(try await admin.send("DELETE", Self.place + "/password/wifi").status == 204)
            #expect(try await admin.send("GET", Self.place + "/password/wifi").status == 404)
            #expect(try await admin.send("DELETE", Self.place + "/password/wifi").status == 404)
            #expect(try await admin.send("DELETE", "/secrets/wifi").status == 204)
            #expect(try await admin.send("GET", "/secrets/wifi").status == 404)
        }
    }

    @Test("S4-VPN-03: an extension's secret is not its app's")
    func anExtensionHasAPlaceOfItsOwn() async throws {
        try await withLandmarks { (_, admin) async throws in
            _ = try await admin.send("PUT", "/secrets/wifi", password("first"))
            let tunnel = Self.place + "/password/a%2Fb%20%C3%A9?extension=org.swift.landmarks.tunnel"
            let assigned = try await admin.send("PUT", tunnel, SecretAssignmentRequest(secret: "wifi"))
            #expect(assigned.status == 200, "\(assigned.text)")
            let found: SecretAssignment = try await admin.get(tunnel)
            #expect(found.extension == "org.swift.landmarks.tunnel")
            #expect(found.identifier == "a/b é")
            #expect(try await admin.send("GET", Self.place + "/password/a%2Fb%20%C3%A9").status == 404)
            #expect(try await admin.send("DELETE", Self.place + "/password/a%2Fb%20%C3%A9").status == 404)
            #expect(try await admin.send("DELETE", tunnel).status == 204)
        }
    }

    @Test("S4-FLOW-07: a new version replaces the one before, and only for who saw that one")
    func versionsAreCountedAndConditionsJudged() async throws {
        try await withLandmarks { (_, admin) async throws in
            let put = { (headers: [String: String], value: String) in
                try await admin.send(
                    "PUT", "/secrets/wifi", headers: headers, body: AdminJSON.encode(password(value)))
            }
            #expect(try await put(["If-Match": "\"v1\""], "first").status == 412)
            #expect(try await put(["If-None-Match": "*"], "first").status == 200)
            #expect(try await put(["If-None-Match": "*"], "second").status == 412)
            #expect(try await put(["If-Match": "\"v1\""], "second").status == 200)
            #expect(try await put(["If-Match": "\"v1\""], "third").status == 412)
            #expect(try await put(["If-Match": "*"], "third").status == 200)
            let versions: AdminMessages.Page<SecretVersion> = try await admin.get("/secrets/wifi/versions")
            #expect(versions.items.map(\.version) == [3, 2, 1])
            let tag = ["If-None-Match": "\"v3\""]
            #expect(try await admin.send("GET", "/secrets/wifi", headers: tag).status == 304)
            #expect(try await admin.send("DELETE", "/secrets/wifi", headers: ["If-Match": "\"v1\""]).status == 412)
            #expect(try await admin.send("DELETE", "/secrets/wifi", headers: ["If-Match": "\"v3\""]).status == 204)
        }
    }

    @Test func aCertificateIsDescribedWhetherItCameAsPEMOrDER() async throws {
        try await withLandmarks { (server, admin) async throws in
            let der = Data(server.authority.certificateDER)
            let pem = Data(
                ("-----BEGIN CERTIFICATE-----\n" + der.base64EncodedString(options: .lineLength64Characters)
                    + "\n-----END CERTIFICATE-----\n").utf8)
            var fingerprints: Set<String?> = []
            for (name, file) in [("der", der), ("pem", pem)] {
                let request = SecretRequest.certificate(CertificateSecret(file: file))
                let set = try await admin.send("PUT", "/secrets/\(name)", request)
                try #require(set.status == 200, "\(set.text)")
                let facts = try AdminJSON.decode(Secret.self, from: set.body).facts
                #expect(facts.subject?.contains("Test authority") == true)
                #expect(facts.expires.map { $0 > Date() } == true)
                fingerprints.insert(facts.fingerprint)
            }
            #expect(fingerprints.count == 1 && fingerprints.first??.count == 64)
        }
    }

    @Test func aRecipeIsDescribedByWhereAndWithWhichKey() async throws {
        try await withLandmarks { (_, admin) async throws in
            let scep = SecretRequest.scep(
                SCEPSecret(
                    url: "https://ca.example/scep", challenge: "planted-challenge",
                    authorityFingerprint: String(repeating: "aB", count: 32),
                    subject: [["CN", "${device.serialNumber}"]], keySize: 4_096))
            let acme = SecretRequest.acme(
                ACMESecret(
                    directoryURL: "https://ca.example/directory", subject: [["CN", "${device.serialNumber}"]],
                    keyType: "EC", keySize: 384, hardwareBound: true, attest: true))
            #expect(
                try await set(scep, admin).facts
                    == SecretFacts(
                        variables: ["device.serialNumber"], authority: "https://ca.example/scep", keyType: "RSA",
                        keySize: 4_096))
            #expect(
                try await set(acme, admin).facts
                    == SecretFacts(
                        variables: ["device.serialNumber"], authority: "https://ca.example/directory", keyType: "EC",
                        keySize: 384, hardwareBound: true, attest: true))
        }
    }

    /// Each refusal names its rule.
    @Test(arguments: [
        (#"{}"#, 400, "password, certificate, pkcs12, scep or acme"),
        (#"{"password":{"password":"p"},"certificate":{"file":"AA=="}}"#, 400, "one member"),
        (#"{"password":{"userName":"u"}}"#, 400, "“password” is missing"),
        (#"{"password":{"password":""}}"#, 422, "A password is 1 to"),
        (#"{"password":{"password":"p","username":"u"}}"#, 422, "Known are: password, userName."),
        (#"{"certificate":{"file":"no base64"}}"#, 400, "“file” has the wrong type"),
        (#"{"certificate":{"file":"AAEC"}}"#, 422, "one certificate in PEM or DER"),
        (#"{"scep":{"url":"https://a.example","subject":[["CN"]]}}"#, 422, "made of pairs"),
        (#"{"scep":{"url":"https://a.example","subject":[["CN","${planted}"]]}}"#, 422, "variable"),
        (#"{"scep":{"url":"https://a.example","subject":[["CN","a"]],"keySize":512}}"#, 422, "key size"),
        (
            #"{"scep":{"url":"https://a.example","subject":[["CN","a"]],"authorityFingerprint":"xy"}}"#, 422,
            "hexadecimal digits"
        ),
        (#"{"scep":{"url":"http://a.example","subject":[["CN","a"]]}}"#, 422, "Only its fingerprint identifies"),
        (
            #"{"scep":{"url":"https://a.example","subject":[["CN","a"]],"authorityFingerprint":"\#(sha1)"}}"#, 422,
            "SHA-256"
        ),
        (#"{"acme":{"directoryURL":"http://a.example","subject":[["CN","a"]]}}"#, 422, "begins with https://"),
        (
            #"{"acme":{"directoryURL":"https://a.example","subject":[["CN","a"]],"keyType":"DSA"}}"#, 422,
            "“EC” or “RSA”"
        ),
        (#"{"acme":{"directoryURL":"https://a.example","subject":[["CN","a"]],"attest":true}}"#, 422, "hardware"),
    ])
    func aRefusalNamesTheRule(body: String, status: UInt, rule: String) async throws {
        try await withLandmarks { (_, admin) async throws in
            let answer = try await admin.send("PUT", "/secrets/s", body: Data(body.utf8))
            #expect(answer.status == status && answer.text.contains(rule), "\(answer.status) \(answer.text)")
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(!answer.text.contains("planted"))
            #expect(try await admin.send("GET", "/secrets/s").status == 404)
        }
    }

    @Test func whatIsTooLargeIsRefused() async throws {
        try await withLandmarks { (_, admin) async throws in
            let long = password(String(repeating: "p", count: SecretSize.password + 1))
            #expect(try await admin.send("PUT", "/secrets/s", long).status == 422)
            let most = password(String(repeating: "\u{1}", count: SecretSize.password))
            #expect(try await admin.send("PUT", "/secrets/s", most).status == 200)
            let file = SecretRequest.certificate(CertificateSecret(file: Data(count: SecretSize.file + 1)))
            #expect(try await admin.send("PUT", "/secrets/s", file).status == 413)
            let body = Data(count: ServerLimits().secretBytes + 1)
            #expect(try await admin.send("PUT", "/secrets/s", body: body).status == 413)
        }
    }

    @Test func aPlaceTakesOnlyWhatTheAppAsksFor() async throws {
        try await withLandmarks { (_, admin) async throws in
            _ = try await admin.send("PUT", "/secrets/wifi", password("first"))
            let assign = { (path: String, secret: String) in
                try await admin.send("PUT", "/secret-assignments" + path, SecretAssignmentRequest(secret: secret))
                    .status
            }
            #expect(try await assign("/teachers/\(Self.app)/identity/wifi", "wifi") == 422)
            #expect(try await assign("/teachers/\(Self.app)/pkcs12/wifi", "wifi") == 404)
            #expect(try await assign("/teachers/\(Self.app)/password/wifi", "other") == 404)
            #expect(try await assign("/teachers/org.swift.other/password/wifi", "wifi") == 404)
            #expect(try await assign("/pupils/\(Self.app)/password/wifi", "wifi") == 404)
            #expect(try await assign("/teachers/\(Self.app)/password/wifi?extension=none", "wifi") == 422)
            let unknown = try await admin.send(
                "PUT", Self.place + "/password/wifi", body: Data(#"{"secret":"wifi","version":1}"#.utf8))
            #expect(unknown.status == 422 && unknown.text.contains("Known are: secret."))
            #expect(try await assign("/teachers/\(Self.app)/password/wifi", "wifi") == 200)
        }
    }

    @Test("S4-SEC-01: a value that was set is in no answer and in no line of the log")
    func aValueThatWasSetComesBackNowhere() async throws {
        try await withLandmarks { (server, admin) async throws in
            let planted = "planted-Xq7-value"
            let user = "planted-Xq7-user"
            let challenge = "planted-Xq7-challenge"
            var answers: [Answer] = []
            for version in 1...2 {
                answers.append(
                    try await admin.send(
                        "PUT", "/secrets/wifi",
                        SecretRequest.password(PasswordSecret(userName: user, password: "\(planted)\(version)"))))
            }
            answers.append(
                try await admin.send(
                    "PUT", "/secrets/client",
                    SecretRequest.scep(
                        SCEPSecret(
                            url: "https://ca.example/scep", challenge: challenge, subject: [["CN", "a"]]))))
            #expect(answers.allSatisfy { $0.status == 200 })
            // Refused and broken ones, too.
            answers.append(
                try await admin.send("PUT", "/secrets/.no", SecretRequest.password(PasswordSecret(password: planted))))
            for body in [
                #"{"password":"\#(planted)"}"#, #"{"\#(planted)":1}"#, #"{"password":{"\#(planted)":1}}"#, planted,
            ] {
                answers.append(try await admin.send("PUT", "/secrets/wifi", body: Data(body.utf8)))
            }
            answers.append(
                try await admin.send("PUT", Self.place + "/password/wifi", SecretAssignmentRequest(secret: "wifi")))
            for path in [
                "/secrets", "/secrets/wifi", "/secrets/wifi/versions", "/secrets/client", "/secret-assignments",
                Self.place + "/password/wifi", "/assignments", "/apps/\(Self.app)", "/devices",
            ] {
                answers.append(try await admin.send("GET", path))
            }
            let texts = answers.map { $0.text + $0.headers.values.joined() } + server.log.all
            for value in [planted, user, challenge] {
                for form in [value, Data(value.utf8).base64EncodedString()] {
                    #expect(!texts.contains { $0.contains(form) })
                }
            }
            #expect(!server.log.all.isEmpty)
        }
    }

    // MARK: What each test has

    private func password(_ value: String) -> SecretRequest {
        .password(PasswordSecret(userName: "guest", password: value))
    }

    private func set(_ request: SecretRequest, _ admin: AdminClient) async throws -> Secret {
        let answer = try await admin.send("PUT", "/secrets/\(request.kind)", request)
        try #require(answer.status == 200, "\(answer.text)")
        return try AdminJSON.decode(Secret.self, from: answer.body)
    }

    private func withLandmarks(_ test: (TestServer, AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                try await test(server, admin)
            }
        }
    }
}
