import CryptographicMessages
import Foundation
import Testing

struct SigningKeyTests {
    @Test(arguments: SigningKey.Algorithm.allCases)
    func `a key survives PEM and PKCS 8`(_ algorithm: SigningKey.Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        #expect(try SigningKey(pem: key.pem).publicKeyInfo == key.publicKeyInfo)
        #expect(try SigningKey(pkcs8: key.pkcs8).publicKeyInfo == key.publicKeyInfo)
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test func `what is no key is refused without repeating it`() throws {
        #expect(throws: UnusableKey.unreadable) { try SigningKey(pem: "secret") }
        #expect(throws: UnusableKey.unreadable) { try SigningKey(pkcs8: Data([1, 2, 3])) }
    }

    @Test func `texts about a key do not show it`() throws {
        let key = try SigningKey.generate(.p256)
        #expect("\(key)" == "P-256 private key")
        #expect(String(reflecting: key) == "P-256 private key")
    }

    @Test(
        .enabled(if: OpenSSLTool.isThere),
        arguments: [
            "genrsa -traditional -out key 2048", "genpkey -algorithm RSA -out key",
            "ecparam -name prime256v1 -genkey -noout -out key", "genpkey -algorithm EC -pkeyopt group:P-384 -out key",
        ])
    func `keys of openssl are read`(_ command: String) throws {
        let tool = try OpenSSLTool()
        try tool.run(command)
        let key = try SigningKey(pem: String(decoding: tool.read("key"), as: UTF8.self))
        try tool.run("pkey -in key -pubout -outform DER -out public")
        #expect(try tool.read("public") == key.publicKeyInfo)
    }
}
