import CertificateAuthority
import Foundation
import SwiftASN1
import TestInputs
import Testing

/// Changed questions about revocation: no crash, within bounds, and no more forms of one question than are counted on.
struct OCSPFuzzTests {
    /// What `openssl ocsp` sends, with a nonce.
    private static let questions = [
        """
        MHoweDBRME8wTTAJBgUrDgMCGgUABBQRBIzSDLNZIwfQGf0IiVYrYtNkkgQUEOMSx8zbsMf6BKSRZZT0QuMCCLICFBVmENB5
        ygKLLMLoKHOC+hadI4y5oiMwITAfBgkrBgEFBQcwAQIEEgQQvXWToTP6ms1m1FgbHbrpXQ==
        """
    ].compactMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }

    /// Made here, so that every part of the grammar is there.
    private func question(_ hash: ASN1ObjectIdentifier, _ length: Int, parameters: Bool, count: Int = 1) throws -> Data
    {
        var whole = DER.Serializer()
        try whole.appendConstructedNode(identifier: .sequence) { request in
            try request.appendConstructedNode(identifier: .sequence) { body in
                try body.appendConstructedNode(identifier: .sequence) { list in
                    for number in 0..<count {
                        try list.appendConstructedNode(identifier: .sequence) { single in
                            try Self.write(hash, length, parameters, serial: number, &single)
                        }
                    }
                }
            }
        }
        return Data(whole.serializedBytes)
    }

    private static func write(
        _ hash: ASN1ObjectIdentifier, _ length: Int, _ parameters: Bool, serial: Int, _ to: inout DER.Serializer
    ) throws {
        try to.appendConstructedNode(identifier: .sequence) { identifier in
            try identifier.appendConstructedNode(identifier: .sequence) { algorithm in
                try algorithm.serialize(hash)
                if parameters { try algorithm.serialize(ASN1Null()) }
            }
            for octet in [UInt8(1), 2] {
                try identifier.serialize(ASN1OctetString(contentBytes: Array(repeating: octet, count: length)[...]))
            }
            identifier.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: [0, 0x81, UInt8(serial)]) }
        }
    }

    private func questions() throws -> [Data] {
        let (sha1, sha256): (ASN1ObjectIdentifier, ASN1ObjectIdentifier) = (
            [1, 3, 14, 3, 2, 26], [2, 16, 840, 1, 101, 3, 4, 2, 1]
        )
        return Self.questions + [
            try question(sha1, 20, parameters: true), try question(sha1, 20, parameters: false),
            try question(sha256, 32, parameters: true, count: OCSPRequest.most),
        ]
    }

    @Test func `what the fuzzing begins with is taken`() throws {
        for question in try questions() { _ = try OCSPRequest(parsing: question) }
        #expect(try OCSPRequest(parsing: try #require(Self.questions.first)).nonce?.count == 18)
        let most = try question([1, 3, 14, 3, 2, 26], 20, parameters: true, count: OCSPRequest.most + 1)
        #expect(throws: OCSPMalformed.self) { try OCSPRequest(parsing: most) }
    }

    @Test(arguments: [UInt64(1), 2])
    func `a changed question is refused, or one of four forms within bounds`(_ seed: UInt64) throws {
        let originals = try questions()
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for round in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(originals[round % originals.count], using: &generator)
            guard let request = try? OCSPRequest(parsing: changed) else { continue }
            #expect((1...OCSPRequest.most).contains(request.certificates.count))
            #expect(request.nonce.map { (1...130).contains($0.count) } ?? true)
            for certificate in request.certificates {
                #expect(changed.range(of: certificate.encoded) != nil, "an answer repeats what was asked")
                #expect(try forms(of: certificate).contains(certificate.encoded), "and nothing else passes for it")
            }
        }
    }

    @Test(arguments: [UInt64(3)]) func `an answer to a changed question is DER that repeats it`(_ seed: UInt64) throws {
        let originals = try questions()
        let authority = try Identity.authority.get()
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for round in 0..<Mutation.iterations / 16 {
            let changed = Mutation.mutateDER(originals[round % originals.count], using: &generator)
            let request = try? OCSPRequest(parsing: round < originals.count ? originals[round] : changed)
            guard let request else { continue }
            let statuses = request.certificates.map { _ in OCSPStatus.revoked(Date(), reason: 9) }
            let answer = try authority.answer(request, statuses, now: Date(), nextUpdate: Date() + 60)
            _ = try DER.parse([UInt8](answer))
            for certificate in request.certificates { #expect(answer.range(of: certificate.encoded) != nil) }
        }
    }

    @Test(arguments: [UInt64(4)]) func `a changed path is the same question, or none`(_ seed: UInt64) throws {
        let originals = try questions()
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for round in 0..<Mutation.iterations {
            let text = originals[round % originals.count].base64EncodedString()
            let path = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let changed = Mutation.mutate(
                Data(path.utf8), tokens: ["%", "%2F", "/", "+", "=", "%00", "%C3"], using: &generator)
            _ = try? OCSPRequest(parsingPath: String(decoding: changed, as: UTF8.self))
            #expect(try OCSPRequest(parsingPath: path) == OCSPRequest(parsing: originals[round % originals.count]))
        }
    }

    /// The only ways in which one certificate may be named.
    private func forms(of certificate: OCSPRequest.Certificate) throws -> [Data] {
        let hash: ASN1ObjectIdentifier =
            certificate.hash == .sha1 ? [1, 3, 14, 3, 2, 26] : [2, 16, 840, 1, 101, 3, 4, 2, 1]
        // Whether the number's sign needs a zero follows from its first bit.
        let sign = Data((certificate.serial.first ?? 0) >= 0x80 ? [0] : [])
        return try [true, false].map { parameters in
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { identifier in
                try identifier.appendConstructedNode(identifier: .sequence) { algorithm in
                    try algorithm.serialize(hash)
                    if parameters { try algorithm.serialize(ASN1Null()) }
                }
                for part in [certificate.issuerName, certificate.issuerKey] {
                    try identifier.serialize(ASN1OctetString(contentBytes: [UInt8](part)[...]))
                }
                identifier.appendPrimitiveNode(identifier: .integer) {
                    $0.append(contentsOf: sign + certificate.serial)
                }
            }
            return Data(serializer.serializedBytes)
        }
    }
}
