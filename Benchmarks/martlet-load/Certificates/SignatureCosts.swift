import ArgumentParser
import CryptographicMessages
import Foundation
import SCEP

/// What it takes to believe the signature of a request: in the form that Martlet writes, and in Apple's.
///
/// No server is asked. Both forms are of the same key and body, and are verified in turns, so that their ratio stands even
/// where the machine is shared.
struct SignatureCosts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signatures", abstract: "Verify signatures of messages in both forms, without a server.",
        discussion: """
            An RSA-2048 key signs one body of --bytes: in the strict form, which is read without a tree, and as Apple's \
            devices do, in BER with lengths left open and without signed attributes. Each round verifies as many of one \
            form as of the other. The times are those of the median round.
            """)

    @Option(help: "How many rounds.")
    var rounds = 40

    @Option(help: "How many signatures of each form a round verifies.")
    var each = 500

    @Option(help: "The size of the body that is signed.")
    var bytes = 600

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...10_000).contains(rounds), (1...100_000).contains(each), (1...1_000_000).contains(bytes) else {
            throw ValidationError(
                "--rounds is 1 to 10,000, --each 1 to 100,000 and --bytes 1 to 1,000,000")
        }
    }

    func run() async throws {
        let key = try SigningKey.generate(.rsa2048)
        let certificate = try SCEPClient.selfSigned(subject: [[["CN", "martlet-load"]]], key: key, now: Date())
        let signer = try PinnedSigner(certificateDER: certificate)
        let body = Data(repeating: UInt8(ascii: "x"), count: bytes)
        let strict = try MessageSignature.sign(body, certificateDER: certificate, key: key)
        let apple = try AppleSignature.of(body, certificateDER: certificate, key: key)
        guard (try? MessageSignature.verify(apple, over: body, by: signer)) == nil else {
            throw LoadFailure("the form of Apple's devices is read as the strict one")
        }
        var (strictTimes, appleTimes): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            // The first of a round finds other caches than the second.
            if round.isMultiple(of: 2) { strictTimes.append(try time(strict, body, signer)) }
            appleTimes.append(try time(apple, body, signer))
            if !round.isMultiple(of: 2) { strictTimes.append(try time(strict, body, signer)) }
        }
        try report(
            SignatureTimes(
                strictMicroseconds: Self.median(strictTimes), appleMicroseconds: Self.median(appleTimes),
                signaturesOfEachForm: rounds * each))
    }

    /// Microseconds for each of a round.
    private func time(_ cms: Data, _ body: Data, _ signer: PinnedSigner) throws -> Double {
        let begun = ContinuousClock.now
        for _ in 0..<each { try MessageSignature.verify(cms, over: body, by: signer, forms: .any) }
        return begun.duration(to: .now) / .microseconds(1) / Double(each)
    }

    private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    private func report(_ times: SignatureTimes) throws {
        guard json else { return print(times.text) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        print(String(decoding: try encoder.encode(times), as: UTF8.self))
    }
}

/// What verifying took.
private struct SignatureTimes: Encodable {
    let strictMicroseconds: Double
    let appleMicroseconds: Double
    let signaturesOfEachForm: Int
    /// How many times as long the form of Apple's devices takes.
    let ratio: Double

    init(strictMicroseconds: Double, appleMicroseconds: Double, signaturesOfEachForm: Int) {
        self.strictMicroseconds = strictMicroseconds
        self.appleMicroseconds = appleMicroseconds
        self.signaturesOfEachForm = signaturesOfEachForm
        ratio = appleMicroseconds / strictMicroseconds
    }

    var text: String {
        let (strict, apple) = (Self.text(strictMicroseconds), Self.text(appleMicroseconds))
        return "strict form \(strict) µs, Apple's form \(apple) µs, ratio \(Self.text(ratio))"
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}
