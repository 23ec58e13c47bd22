import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import ServerHTTP
import Synchronization
import Testing

/// Whether a certificate is revoked, asked and understood by OpenSSL.
@Suite struct OCSPTests {
    @Test(arguments: ["-sha1", "-sha256"])
    func `another program hears of each certificate what became of it`(_ hash: String) async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        try await IdentityFixture.with(recipe) { (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            // The same authority, but never written down.
            let stray = try fixture.server.identityAuthority.issueIdentity(
                publicKeyDER: DeviceKeys.second().publicKeyInfo,
                profile: IdentityProfile(subject: [.init("CN", "stray")]), now: Date())
            let stranger = fixture.device.identity.certificate
            #expect(try await ask(leaf, hash, fixture).contains("leaf.pem: good"))
            #expect(try await ask(stray, hash, fixture).contains("leaf.pem: unknown"))
            // Of another authority, asked about as if it were this one's.
            #expect(try await ask(stranger, hash, fixture).contains("leaf.pem: unknown"))

            let device = fixture.device
            let farewell = CheckOut(identifier: device.identifier, topic: device.topic)
            #expect(try await device.checkIn(.checkOut(farewell)).status == 200)
            let answer = try await ask(leaf, hash, fixture)
            #expect(answer.contains("leaf.pem: revoked") && answer.contains("cessationOfOperation"), "\(answer)")
        }
    }

    /// S4-SECRET-05: what is taken away counts no more for anybody, and what is given again is another.
    @Test func `a secret that is unassigned takes its certificates with it`() async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        try await IdentityFixture.with(recipe) { (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            let told = try await fixture.identityToken()
            try await fixture.unassign()
            let answer = try await ask(leaf, "-sha256", fixture)
            #expect(answer.contains("leaf.pem: revoked"), "\(answer)")
            #expect(try await fixture.identityToken() == nil)

            try await fixture.assign()
            #expect(try await fixture.identityToken() != told)
            let next = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            #expect(try await ask(next, "-sha256", fixture).contains("leaf.pem: good"))
            #expect(try await ask(leaf, "-sha256", fixture).contains("leaf.pem: revoked"))
        }
    }

    /// The device may not hear of its absence in between: it is told of another asset all the same.
    @Test func `a device that leaves a group and comes back asks anew`() async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        try await IdentityFixture.with(recipe) { (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            var told: Set<String> = [try #require(await fixture.identityToken())]
            let path = "/devices/\(fixture.device.identifier.key)/groups/teachers"
            for round in 2...3 {
                #expect(try await fixture.admin.send("DELETE", path).status == 204)
                #expect(try await fixture.admin.send("PUT", path).status == 200)
                told.insert(try #require(await fixture.identityToken()))
                #expect(told.count == round)
                #expect(try await ask(leaf, "-sha256", fixture).contains("leaf.pem: revoked"))
                _ = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            }
        }
    }

    @Test func `what is no question gets no signature`() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { client in
                let url = server.baseURL + "/pki/ocsp"
                for body in [Data(), Data("x".utf8), Data([0x30, 0]), Data([0x30, 2, 0x30, 0])] {
                    let answer = try await client.send("POST", url, body: body)
                    #expect(answer.status == 200)
                    // malformedRequest, and nothing else.
                    #expect(answer.body == Data([0x30, 3, 0x0a, 1, 1]))
                }
                #expect(try await client.send("POST", url, body: Data(count: 5_000)).status == 413)
                for path in ["x", "MAA=", String(repeating: "A", count: 12_000)] {
                    #expect(try await client.send("GET", url + "/" + path).body == Data([0x30, 3, 0x0a, 1, 1]))
                }
            }
        }
    }

    /// RFC 6960 A.1, RFC 5019: the same question by GET, and an answer that everybody may keep for a while.
    @Test func `an answer without a nonce is signed once, until it changes`() async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        let clock = TestClock(stands: true)
        try await IdentityFixture.with(recipe, clock: clock) { (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            try await OCSPQuestion.about(leaf, fixture, options: ["-no_nonce"]) { (question) async throws in
                // Escaped in whole, and as clients do that take Base64 for a path.
                let first = try await question.get(escaping: .alphanumerics)
                let again = try await question.get(escaping: .urlPathAllowed)
                #expect(first.status == 200 && first.headers["content-type"] == "application/ocsp-response")
                #expect(first.body == again.body && first.headers["etag"] == again.headers["etag"])
                #expect(first.headers["cache-control"] == "max-age=60, public, no-transform, must-revalidate")
                let made = try #require(first.headers["last-modified"].flatMap(HTTPDate.date))
                let ends = try #require(first.headers["expires"].flatMap(HTTPDate.date))
                #expect(ends.timeIntervalSince(made) == 600)
                #expect(try await question.verdict(first).contains("leaf.pem: good"))
                let posted = try await question.post()
                #expect(posted.body == first.body && posted.headers["cache-control"] == "no-store")

                clock.advance(by: 100)
                #expect(try await question.get().body == first.body)
                clock.advance(by: 210)
                #expect(try await question.get().body != first.body)
                try await fixture.unassign()
                // Not a moment later, whatever is kept.
                #expect(try await question.verdict(question.get()).contains("leaf.pem: revoked"))
            }
            try await OCSPQuestion.about(leaf, fixture) { (question) async throws in
                let (first, again) = (try await question.get(), try await question.get())
                #expect(first.body != again.body || first.headers["cache-control"] == "no-store")
                #expect(first.headers["cache-control"] == "no-store" && first.headers["expires"] == nil)
            }
        }
    }

    @Test func `who asks for signatures without end waits, and nobody else does`() async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        var limits = ServerLimits.patient
        limits.statusSignaturesPerSecond = 1
        try await IdentityFixture.with(recipe, clock: TestClock(stands: true), limits: limits) {
            (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            try await OCSPQuestion.about(leaf, fixture) { (flood) async throws in
                #expect(try await flood.post().status == 200)
                let refused = try await flood.post()
                #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
                try await OCSPQuestion.about(leaf, fixture, options: ["-no_nonce"]) { (question) async throws in
                    for _ in 1...5 { #expect(try await question.post().status == 200) }
                }
            }
        }
    }

    @Test func `one address gets half of the signatures`() async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        let clock = TestClock(stands: true)
        var limits = ServerLimits.patient
        limits.statusSignaturesPerSecond = 1
        try await IdentityFixture.with(recipe, clock: clock, limits: limits) { (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            try await OCSPQuestion.about(leaf, fixture) { (flood) async throws in
                // By the clock of the budget each has a second of its own; by the true one all come within ten.
                for status: UInt in [200, 200, 200, 200, 200, 503] {
                    #expect(try await flood.post().status == status)
                    clock.advance(by: 1)
                }
            }
        }
    }

    @Test func `a budget is so many a second, and no more after a pause or a clock set back`() {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        var budget = SignatureBudget(perSecond: 3)
        func taken(at second: Double) -> Int { (0..<10).count { _ in budget.takes(now: start + second) } }
        #expect(taken(at: 0) == 3)
        #expect(taken(at: 0.5) == 1)
        #expect(taken(at: 100) == 3)
        #expect(taken(at: 50) == 0)
        #expect(taken(at: 50.9) == 2)
    }

    /// OpenSSL asks with a nonce and checks signature, time, nonce and certificate of the answer.
    private func ask(_ certificate: Data, _ hash: String, _ fixture: IdentityFixture) async throws -> String {
        let said = Mutex("")
        try await OCSPQuestion.about(certificate, fixture, options: [hash]) { (question) async throws in
            let verdict = try await question.verdict(question.post())
            said.withLock { $0 = verdict }
        }
        return said.withLock { $0 }
    }
}

/// A question that OpenSSL asks, and what OpenSSL makes of the answer.
private struct OCSPQuestion {
    let bytes: Data
    private let about: [String]
    private let folder: URL
    private let fixture: IdentityFixture

    static func about(
        _ certificate: Data, _ fixture: IdentityFixture, options: [String] = [],
        _ body: (OCSPQuestion) async throws -> Void
    ) async throws {
        try await ForeignProgram.inFolder { (folder) async throws in
            let text = certificate.base64EncodedString(options: .lineLength64Characters)
            let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
            try Data(pem.utf8).write(to: folder.appending(path: "leaf.pem"))
            try Data(fixture.server.identityAuthority.certificatePEM.utf8).write(to: folder.appending(path: "ca.pem"))
            let about =
                options.filter { $0 != "-no_nonce" } + [
                    "-issuer", folder.appending(path: "ca.pem").path, "-cert", folder.appending(path: "leaf.pem").path,
                ]
            let request = folder.appending(path: "request")
            _ = try await openssl(
                about + ["-reqout", request.path] + options.filter { $0 == "-no_nonce" }, in: folder)
            try await body(
                OCSPQuestion(bytes: Data(contentsOf: request), about: about, folder: folder, fixture: fixture))
        }
    }

    private init(bytes: Data, about: [String], folder: URL, fixture: IdentityFixture) {
        self.bytes = bytes
        self.about = about
        self.folder = folder
        self.fixture = fixture
    }

    func post() async throws -> Answer {
        try await fixture.client.send(
            "POST", fixture.server.baseURL + "/pki/ocsp", headers: ["content-type": "application/ocsp-request"],
            body: bytes)
    }

    func get(escaping allowed: CharacterSet = .alphanumerics) async throws -> Answer {
        let path = try #require(bytes.base64EncodedString().addingPercentEncoding(withAllowedCharacters: allowed))
        return try await fixture.client.send("GET", fixture.server.baseURL + "/pki/ocsp/" + path)
    }

    func verdict(_ answer: Answer) async throws -> String {
        try #require(answer.status == 200 && answer.headers["content-type"] == "application/ocsp-response")
        let file = folder.appending(path: "answer")
        try answer.body.write(to: file)
        let request = folder.appending(path: "request").path
        // Without a further nonce: the one to be found in the answer is that of the request.
        let verdict = try await Self.openssl(
            about + [
                "-validity_period", "900", "-reqin", request, "-no_nonce", "-respin", file.path, "-CAfile",
                folder.appending(path: "ca.pem").path,
            ], in: folder)
        #expect(verdict.contains("Response verify OK") && !verdict.contains("WARNING"), "\(verdict)")
        return verdict
    }

    private static func openssl(_ arguments: [String], in folder: URL) async throws -> String {
        let (status, output) = try await ForeignProgram.run("/usr/bin/openssl", ["ocsp"] + arguments, in: folder)
        try #require(status == 0, "\(output)")
        return output
    }
}
