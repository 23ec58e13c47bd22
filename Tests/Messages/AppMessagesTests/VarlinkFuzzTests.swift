import AppMessages
import Foundation
import Signatures
import TestInputs
import Testing

/// Throws damaged messages at both readers: whatever comes, they answer or refuse.
struct VarlinkFuzzTests {
    private static let seeds: [Data] = [
        AppCall.watchConfiguration(trials: false).encoded(),
        AppCall.reportConfiguration(
            ConfigurationOutcome(
                version: String(repeating: "0f", count: 32), valid: false, code: -1, message: "m", keyPath: "k[0]",
                keyPathSupplied: true)
        ).encoded(),
        AppCall.watchConfiguration(trials: true).encoded(),
        AppCall.reportTrial(
            TrialOutcome(
                trial: "t", verdict: .refused, code: -1, message: "m", keyPath: "k[0]", keyPathSupplied: true, type: "T"
            )
        ).encoded(),
        AppCall.getSecret(.identity, identifier: "x\u{301}").encoded(),
        AppCall.watchSecrets(.certificate).encoded(),
        AppCall.sign(
            SignRequest(
                identifier: "mtls", reference: "5f", algorithm: SignatureAlgorithm(.ecdsa, .sha256, over: .digest),
                data: Data(0..<32))
        ).encoded(),
        Varlink.reply(PasswordReply("p\u{1}\u{1F511}")),
        Varlink.reply(CertificateReply(Data(0..<64))),
        Varlink.reply(
            IdentityReply(certificates: [Data([48, 0]), Data([48])], keyType: .ec, keySize: 256, reference: "5f")),
        Varlink.reply(SignatureReply(Data(0..<64))),
        Varlink.reply(SecretIdentifiers(["a", "b"]), continues: true),
        Varlink.reply(
            ConfigurationState(
                managed: true, synchronised: true, stale: true, version: "v", configuration: Data(0...255),
                generation: 3)),
        Varlink.reply(
            ConfigurationState(
                managed: true, synchronised: true, stale: true, version: "v", configuration: nil, generation: 3,
                trial: ConfigurationTrial(identifier: "t", configuration: Data(0...255), seconds: 10))),
        Varlink.reply(VarlinkError.expectedMore),
    ]

    @Test func everyDamagedStreamIsAnsweredOrRefused() {
        var random = SplitMix64(seed: Mutation.seed)
        var calls = 0
        var refusals = 0
        for _ in 0..<Mutation.iterations {
            var bytes = Self.seeds.randomElement(using: &random).map(Array.init) ?? []
            for _ in 0..<Int.random(in: 0...4, using: &random) { Self.damage(&bytes, &random) }
            var reader = FrameReader(limit: FrameReader.callLimit)
            reader.append(bytes)
            #expect(Self.messages(bytes, inPieces: &random) == Self.messages(bytes))
            do {
                while let message = try reader.next() {
                    let reply = try? VarlinkReply<ConfigurationState>(parsing: message)
                    _ = try? reply?.result.get()
                    Self.readAsSecrets(message)
                    let understood = try AppCall(VarlinkCall(parsing: message))
                    let written = understood.encoded()
                    // What is understood is written so that it is understood the same again.
                    #expect(try AppCall(VarlinkCall(parsing: Data(written.dropLast()))) == understood)
                    calls += 1
                }
            } catch {
                refusals += 1
            }
        }
        // The damage is neither so slight nor so great that only one way is ever taken.
        #expect(calls > 0 && refusals > 0)
    }

    private static func readAsSecrets(_ message: Data) {
        _ = try? VarlinkReply<PasswordReply>(parsing: message)
        _ = try? VarlinkReply<CertificateReply>(parsing: message)
        _ = try? VarlinkReply<IdentityReply>(parsing: message)
        _ = try? VarlinkReply<SignatureReply>(parsing: message)
        _ = try? VarlinkReply<SecretIdentifiers>(parsing: message)
    }

    /// The messages in a stream, and whether it was refused after them.
    private static func messages(_ bytes: [UInt8]) -> [Data?] {
        var reader = FrameReader(limit: FrameReader.callLimit)
        reader.append(bytes)
        return drain(&reader)
    }

    /// The same, with the bytes as a socket may hand them over.
    private static func messages(_ bytes: [UInt8], inPieces random: inout SplitMix64) -> [Data?] {
        var reader = FrameReader(limit: FrameReader.callLimit)
        var found: [Data?] = []
        var rest = bytes[...]
        while !rest.isEmpty, !found.contains(nil) {
            let piece = rest.prefix(Int.random(in: 1...200, using: &random))
            rest = rest.dropFirst(piece.count)
            reader.append(Array(piece))
            found += drain(&reader)
        }
        return found
    }

    private static func drain(_ reader: inout FrameReader) -> [Data?] {
        var found: [Data?] = []
        do {
            while let message = try reader.next() { found.append(message) }
        } catch {
            found.append(nil)
        }
        return found
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard !bytes.isEmpty else { return bytes.append(0) }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...16, using: &random)))
        case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 16)], at: place)
        case 3: bytes.insert(0, at: place)
        case 4:
            let words = ["null", "1e999", "-0", "\"\\ud800\"", "{", "[[[[", "18446744073709551616", "true", "\\u0000"]
            bytes.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: place)
        default: bytes.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 2_000), at: place)
        }
    }
}
