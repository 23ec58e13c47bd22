import CertificateAuthority
import CryptographicMessages
import Foundation
import TestInputs
import Testing

struct AuthorityTests {
    private let now = Identity.now

    private func verdict(_ der: Data, at time: Date? = nil) throws -> CertificateVerdict {
        try Identity.authority.get().judge(der, now: time ?? now)
    }

    private func issue(
        _ authority: Authority, name: String = "device", notBefore: Date = Identity.now,
        notAfter: Date = Identity.now + 1000, serial: CertificateSerial = .random()
    ) throws -> Data {
        try authority.issueDevice(
            publicKeyDER: Identity.rsa.key.publicKeyInfo, commonName: name, notBefore: notBefore, notAfter: notAfter,
            serial: serial)
    }

    @Test func `a certificate of ours is recognised with its facts`() throws {
        let authority = try Identity.authority.get()
        let serial = CertificateSerial(bytes: Array(1...16))
        let der = try issue(authority, name: "device 1", serial: serial)
        guard case .issuedByUs(let facts) = authority.judge(der, now: now) else {
            Issue.record("not recognised")
            return
        }
        #expect(facts.subject == "device 1")
        #expect(facts.serial == Data(1...16))
        #expect(facts.notAfter == now + 1000)
        #expect(try facts.fingerprint == PinnedSigner(certificateDER: der).fingerprint)
    }

    @Test func `an authority made again with its key knows what it issued`() throws {
        let first = try Authority.create(commonName: "Test CA", now: now)
        let der = try issue(first)
        let again = try Authority.create(commonName: "Test CA", keyPEM: first.keyPEM, now: now)
        guard case .issuedByUs = again.judge(der, now: now) else {
            Issue.record("not recognised")
            return
        }
        #expect(throws: UnusableAuthority.key) {
            try Authority.create(commonName: "Test CA", keyPEM: "not a key", now: now)
        }
    }

    @Test func `validity has a first and a last moment`() throws {
        let der = try issue(Identity.authority.get())
        #expect(try verdict(der, at: now - 1) == .refused(.notYetValid))
        #expect(try verdict(der, at: now + 1001) == .refused(.expired))
        for time in [now, now + 1000] {
            guard case .issuedByUs = try verdict(der, at: time) else {
                Issue.record("refused inside its validity")
                continue
            }
        }
    }

    /// A wrong CA, its name notwithstanding, is refused.
    @Test func `an impostor of the same name is refused`() throws {
        let namesake = try Authority.create(commonName: "Test CA", now: now)
        let other = try Authority.create(commonName: "Other CA", now: now)
        #expect(try verdict(issue(namesake)) == .refused(.signature))
        #expect(try verdict(issue(other)) == .refused(.otherIssuer))
    }

    @Test func `what is not a device's is refused`() throws {
        let authority = try Identity.authority.get()
        #expect(try verdict(authority.certificateDER) == .refused(.extensions))
        let server = try authority.issueServer(hostnames: ["localhost"], now: now).certificatePEM
        let base64 = server.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        #expect(try verdict(#require(Data(base64Encoded: base64))) == .refused(.notForClients))
    }

    /// Red if it knows only the certificates of devices: it signs a server's, too.
    @Test func `an authority knows what it signed`() throws {
        let (own, other) = (try Identity.authority.get(), try Authority.create(commonName: "Other CA", now: now))
        for (issuer, isOwn) in [(own, true), (other, false)] {
            let server = try issuer.issueServer(hostnames: ["localhost"], now: now).certificatePEM
            let base64 = server.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            let der = try #require(Data(base64Encoded: base64))
            #expect(own.hasSigned(der) == isOwn)
        }
        #expect(try own.hasSigned(issue(own)))
        #expect(try !own.hasSigned(issue(other)))
        #expect(!own.hasSigned(Data()) && !own.hasSigned(Data(count: 1 << 20)))
    }

    @Test func `what cannot be read is refused`() throws {
        let der = try issue(Identity.authority.get())
        for bad in [Data(), Data([0x30, 0x80]), der.dropLast(), der + [0], Data(count: 20_000)] {
            #expect(try verdict(bad) == .refused(.unreadable))
        }
    }

    @Test func `a changed certificate is never recognised`() throws {
        let der = try issue(Identity.authority.get())
        var generator = SplitMix64(seed: 7)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(der, using: &generator)
            guard changed != der else { continue }
            if case .issuedByUs = try verdict(changed) { Issue.record("accepted: \(changed.base64EncodedString())") }
        }
    }

    @Test func `an authority survives being stored`() throws {
        let authority = try Identity.authority.get()
        let copy = try Authority(certificatePEM: authority.certificatePEM, keyPEM: authority.keyPEM)
        #expect(copy.certificateDER == authority.certificateDER)
        guard case .issuedByUs = try verdict(issue(copy)) else {
            Issue.record("the copy issues what the original refuses")
            return
        }
    }

    @Test func `files that do not belong together make no authority`() throws {
        let authority = try Identity.authority.get()
        let other = try Authority.create(commonName: "Other", now: now)
        #expect(throws: UnusableAuthority.keyOfAnother) {
            try Authority(certificatePEM: authority.certificatePEM, keyPEM: other.keyPEM)
        }
        #expect(throws: UnusableAuthority.key) { try Authority(certificatePEM: authority.certificatePEM, keyPEM: "x") }
        #expect(throws: UnusableAuthority.certificate) { try Authority(certificatePEM: "x", keyPEM: authority.keyPEM) }
        #expect(throws: UnusableAuthority.notAnAuthority) {
            let device = try Identity.rsa
            return try Authority(certificatePEM: device.certificatePEM, keyPEM: device.key.pem)
        }
    }

    @Test(arguments: ["", "-a.example", "a..example", "a_b", "a b", String(repeating: "a", count: 64), "1.2.3.4.5/8"])
    func `a host name that is none is refused`(_ name: String) throws {
        #expect(throws: IssuanceRefusal.hostnames) {
            try Identity.authority.get().issueServer(hostnames: ["good.example", name], now: now)
        }
    }

    @Test func `a name of 65 bytes and a foreign key are refused`() throws {
        let authority = try Identity.authority.get()
        #expect(throws: IssuanceRefusal.commonName) { try issue(authority, name: String(repeating: "x", count: 65)) }
        #expect(throws: IssuanceRefusal.publicKey) {
            try authority.issueDevice(publicKeyDER: Data([1]), commonName: "x", notBefore: now, notAfter: now)
        }
        #expect(throws: IssuanceRefusal.request) {
            try authority.issueDevice(requestDER: Data([1]), commonName: "x", now: now)
        }
    }

    @Test func `serial numbers are 128 bits, positive and distinct`() {
        var generator = SplitMix64(seed: 1)
        let serials = (0..<1000).map { _ in CertificateSerial.random(using: &generator) }
        #expect(Set(serials).count == 1000)
        #expect(serials.allSatisfy { $0.bytes.count == 16 && $0.bytes[0] & 0xc0 == 0x40 })
    }
}

/// The authority's certificates in OpenSSL's eyes.
@Suite(.enabled(if: OpenSSLTool.isThere))
struct AuthorityInteroperationTests {
    @Test func `openssl verifies device and server certificates for their purpose only`() throws {
        let tool = try OpenSSLTool()
        let authority = try Identity.authority.get()
        try tool.write(authority.certificatePEM, "ca.pem")
        try tool.write(Identity.rsa.certificatePEM, "device.pem")
        let server = try authority.issueServer(
            hostnames: ["mdm.example", "127.0.0.1", "::1"], now: Identity.now)
        try tool.write(server.certificatePEM, "server.pem")
        try tool.write(server.keyPEM, "server.key")
        let verify = "verify -x509_strict -attime \(Int(Identity.now.timeIntervalSince1970)) -CAfile ca.pem"
        try tool.run(verify + " -purpose sslclient device.pem")
        for name in ["-verify_hostname mdm.example", "-verify_ip 127.0.0.1", "-verify_ip ::1"] {
            try tool.run(verify + " -purpose sslserver \(name) server.pem")
        }
        #expect(throws: OpenSSLTool.Failure.self) { try tool.run(verify + " -purpose sslserver device.pem") }
        #expect(throws: OpenSSLTool.Failure.self) { try tool.run(verify + " -purpose sslclient server.pem") }
        #expect(throws: OpenSSLTool.Failure.self) {
            try tool.run(verify + " -purpose sslserver -verify_hostname other.example server.pem")
        }
        let text = try tool.run("x509 -in ca.pem -noout -text")
        #expect(text.contains("CA:TRUE, pathlen:0"))
        #expect(text.contains("Digital Signature, Key Encipherment, Certificate Sign, CRL Sign"))
        let key = try tool.run("pkey -in server.key -pubout")
        #expect(try tool.run("x509 -in server.pem -noout -pubkey") == key)
    }

    @Test func `a request of openssl's is granted for its own key`() throws {
        let tool = try OpenSSLTool()
        try tool.run(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -subj /CN=asked -outform DER -out r")
        let request = try tool.read("r")
        let authority = try Identity.authority.get()
        let der = try authority.issueDevice(requestDER: request, commonName: "given", now: Identity.now)
        guard case .issuedByUs(let facts) = authority.judge(der, now: Identity.now) else {
            Issue.record("not recognised")
            return
        }
        #expect(facts.subject == "given")
        var changed = request
        changed[changed.count - 5] ^= 1
        #expect(throws: IssuanceRefusal.request) {
            try authority.issueDevice(requestDER: changed, commonName: "given", now: Identity.now)
        }
    }
}
