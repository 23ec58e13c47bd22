import CertificateAuthority
import CryptographicMessages
import Foundation
import TestInputs
import Testing

/// PKCS #12 files made by other programs, opened here (S4-DATA-04).
@Suite(.enabled(if: OpenSSLTool.isThere))
struct PKCS12Tests {
    @Test(arguments: [
        "", "-legacy", "-legacy -certpbe PBE-SHA1-RC2-40 -iter 100000 -macalg sha512", "-keypbe NONE -certpbe NONE",
    ])
    func `a file of OpenSSL opens with its password and no other`(_ options: String) throws {
        let identity = try Identity.rsa
        let file = try PKCS12Fixture.openSSL(identity, password: "käse 1", options)
        let contents = try PKCS12.open(file, password: "käse 1")
        #expect(contents.certificates == [identity.certificateDER])
        #expect(contents.privateKey == identity.key.pkcs8)
        #expect(contents.keyType == KeyType(.rsa, bits: 2048))
        for wrong in ["käse 2", "", "kase 1"] {
            #expect(throws: PKCS12Refusal.password) { try PKCS12.open(file, password: wrong) }
        }
    }

    @Test(arguments: [SigningKey.Algorithm.p256, .p384])
    func `a key on a curve opens`(_ algorithm: SigningKey.Algorithm) throws {
        let identity = try Identity.of(algorithm)
        let contents = try PKCS12.open(try PKCS12Fixture.openSSL(identity, password: "p"), password: "p")
        #expect(contents.privateKey == identity.key.pkcs8)
        #expect(contents.keyType == KeyType(.ellipticCurve, bits: algorithm == .p256 ? 256 : 384))
    }

    @Test(.enabled(if: PKCS12Fixture.hasJava))
    func `a keystore of Java opens with its password and no other`() throws {
        let file = try PKCS12Fixture.java(password: "changeit")
        let contents = try PKCS12.open(file, password: "changeit")
        #expect(contents.certificates.count == 1)
        #expect(contents.keyType == KeyType(.ellipticCurve, bits: 256))
        #expect(throws: PKCS12Refusal.password) { try PKCS12.open(file, password: "changed") }
    }

    @Test func `an empty password opens a file without one`() throws {
        let identity = try Identity.rsa
        let file = try PKCS12Fixture.openSSL(identity, password: "")
        #expect(try PKCS12.open(file, password: "").certificates == [identity.certificateDER])
        #expect(throws: PKCS12Refusal.password) { try PKCS12.open(file, password: "p") }
    }

    @Test func `the certificate of the key comes first and those above it follow`() throws {
        let identity = try Identity.rsa
        let authority = try Identity.authority.get()
        let stranger = try Identity.otherRSA
        let others = [stranger.certificateDER, authority.certificateDER]
        let file = try PKCS12Fixture.openSSL(identity, password: "p", others: others)
        let contents = try PKCS12.open(file, password: "p")
        #expect(contents.certificates == [identity.certificateDER, authority.certificateDER])
    }

    @Test func `a file without the certificate of its key, or without a key, is refused`() throws {
        let identity = try Identity.rsa
        let tool = try OpenSSLTool()
        try tool.write(identity, "id")
        try tool.write(try Identity.otherRSA, "other")
        try tool.run("pkcs12 -export -nokeys -in id.pem -passout pass:p -out nokey.p12")
        #expect(throws: PKCS12Refusal.notExactlyOneKey) { try PKCS12.open(try tool.read("nokey.p12"), password: "p") }
        try tool.run("pkcs12 -export -nocerts -inkey id.key -passout pass:p -out nocert.p12")
        #expect(throws: PKCS12Refusal.certificate) { try PKCS12.open(try tool.read("nocert.p12"), password: "p") }
        try tool.run("genpkey -algorithm ed25519 -out ed.key")
        try tool.run("pkcs12 -export -nocerts -inkey ed.key -passout pass:p -out ed.p12")
        #expect(throws: PKCS12Refusal.key) { try PKCS12.open(try tool.read("ed.p12"), password: "p") }
        try tool.run("pkcs12 -export -nomac -in id.pem -inkey id.key -passout pass:p -out nomac.p12")
        #expect(throws: PKCS12Refusal.unauthenticated) {
            try PKCS12.open(try tool.read("nomac.p12"), password: "p")
        }
    }

    @Test func `a damaged file is told from a wrong password`() throws {
        let file = try PKCS12Fixture.openSSL(try Identity.rsa, password: "p")
        // The digest of the MAC, and the ciphertext of the certificate: both near the ends of the file.
        var damaged = file
        damaged[damaged.count - 30] ^= 1
        #expect(throws: PKCS12Refusal.damaged) { try PKCS12.open(damaged, password: "p") }
        #expect(throws: PKCS12Refusal.password) { try PKCS12.open(damaged, password: "q") }
        var key = file
        key[key.count - 120] ^= 1
        #expect(throws: PKCS12Refusal.damaged) { try PKCS12.open(key, password: "p") }
        #expect(throws: PKCS12Refusal.malformed) { try PKCS12.open(file.dropLast(1), password: "p") }
        #expect(throws: PKCS12Refusal.malformed) { try PKCS12.open(file + [0], password: "p") }
        #expect(throws: PKCS12Refusal.malformed) { try PKCS12.open(Data("password".utf8), password: "p") }
        #expect(throws: PKCS12Refusal.malformed) { try PKCS12.open(Data(), password: "p") }
    }

    @Test(arguments: ["MAC", "certificates", "key"])
    func `a count of iterations far too high is refused before it is computed`(_ place: String) throws {
        let tooHigh: [UInt8] = [0x7f, 0xff, 0xff]
        var file = try PKCS12Fixture.openSSL(try Identity.rsa, password: "p", "-iter 100000")
        if place == "MAC" {
            file.replaceSubrange(try #require(file.counts.last), with: tooHigh)
        } else {
            var content = try PKCS12Craft.content(of: file)
            let counts = content.counts
            try #require(counts.count == 2)
            content.replaceSubrange(counts[place == "key" ? 1 : 0], with: tooHigh)
            file = PKCS12Craft.file(content, password: "p")
        }
        let taken = processorSeconds {
            #expect(throws: PKCS12Refusal.tooMuchWork) { try PKCS12.open(file, password: "p") }
        }
        #expect(taken < 2)
    }

    @Test func `what exceeds a bound is refused`() throws {
        #expect(throws: PKCS12Refusal.tooLarge) {
            try PKCS12.open(Data(count: PKCS12Limits.bytes + 1), password: "p")
        }
        #expect(throws: PKCS12Refusal.tooLarge) {
            try PKCS12.open(Data(count: 10), password: String(repeating: "x", count: PKCS12Limits.passwordBytes + 1))
        }
        let many = [Data](repeating: try Identity.otherRSA.certificateDER, count: 70)
        let file = try PKCS12Fixture.openSSL(try Identity.rsa, password: "p", others: many)
        #expect(throws: PKCS12Refusal.tooLarge) { try PKCS12.open(file, password: "p") }
    }
}

extension Data {
    /// Where counts of 100,000 iterations stand.
    fileprivate var counts: [Range<Int>] {
        indices.filter { self[$0...].starts(with: [2, 3, 0x01, 0x86, 0xA0]) }.map { $0 + 2..<$0 + 5 }
    }
}
