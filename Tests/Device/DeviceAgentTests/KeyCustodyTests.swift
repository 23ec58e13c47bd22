import AppMessages
import CertificateAuthority
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import SCEP
import Testing

/// A key that is born on the device stays there: A09, D6.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct KeyCustodyTests {
    /// S4-LIC-06, S4-SEC-03: what the device sends while it gets itself an identity, opened by those who can, holds the
    /// public key and nothing of the private one.
    @Test(arguments: [CredentialAsset.Kind.scep, .acme])
    func thePrivateKeyIsInNothingThatTheDeviceSends(kind: CredentialAsset.Kind) async throws {
        try await EnrolledDevice.run { fixture in
            let url = fixture.server.url
            let document =
                kind == .scep
                ? SCEPDocument(
                    SCEPPayload(
                        url: url + "/scep", subject: [[["CN", "device"]]], challenge: "one-time", keySize: 2_048,
                        caFingerprint: try ScriptedServer.authority.get().fingerprint, retries: 0, retryDelay: 0)
                ).encoded()
                : ACMEDocument(
                    directoryURL: url + "/acme/directory", clientIdentifier: PlayedACME.identifier, keySize: 256,
                    subject: [[["CN", "device"]]]
                ).encoded()
            fixture.management.give([PlayedSecret(kind, "mtls", document)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            let identity = try await fixture.identity()
            try await fixture.eventually("a report") { !fixture.management.reports.isEmpty }
            try Self.search(fixture.management.requests, for: identity.key.material)
        }
    }

    private static func search(_ requests: [ScriptedServer.Request], for privateKey: Data) throws {
        let publicKey = try SigningKey(pkcs8: privateKey).publicKeyInfo
        let sent = try requests.flatMap(opened)
        #expect(sent.contains { $0.range(of: publicKey) != nil }, "the search finds what is there")
        let wanted = pieces(of: privateKey).subtracting(pieces(of: publicKey))
        #expect(wanted.count > 50)
        let leaks = sent.filter { layer in
            [layer, Data(layer.reversed())].contains { !wanted.isDisjoint(with: pieces(of: $0)) }
        }
        #expect(leaks.count == 0)
    }

    /// Every run of 24 bytes: no such run of one key is in another thing by chance.
    private static func pieces(of bytes: Data) -> Set<ArraySlice<UInt8>> {
        let all = [UInt8](bytes)
        guard all.count >= 24 else { return [] }
        return Set((0...(all.count - 24)).map { all[$0..<($0 + 24)] })
    }

    /// A request as the server reads it: its text, what is encoded in that, and what a SCEP envelope was sealed around.
    private static func opened(_ request: ScriptedServer.Request) throws -> [Data] {
        var layers = [request.body, Data(request.path.utf8), Data((request.signature ?? "").utf8)]
        if request.path.contains("PKIOperation") {
            let authority = try ScriptedServer.authority.get()
            let scep = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
            layers.append(try scep.open(pkiMessage: request.body, allowLegacy: false).csr.der)
        }
        return layers.flatMap { Set(decoded($0, depth: 3)) }
    }

    /// The bytes, and those that stand in them as base64 of either alphabet.
    private static func decoded(_ bytes: Data, depth: Int) -> [Data] {
        guard depth > 0 else { return [bytes] }
        // Text stands in what is no text, too.
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "!") }, as: UTF8.self)
        let joined = text.filter { !$0.isWhitespace }.replacing("-", with: "+").replacing("_", with: "/")
            .replacing("\\/", with: "/")
        let words = joined.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "+" || $0 == "/") }
        return [bytes]
            + words.filter { $0.count >= 40 }.flatMap { word in
                // What stands before it can look like a part of it.
                (0..<4).flatMap { start -> [Data] in
                    let digits = word.dropFirst(start)
                    let whole = String(digits.dropLast(digits.count % 4))
                    return Data(base64Encoded: whole).map { decoded($0, depth: depth - 1) } ?? []
                }
            }
    }
}
