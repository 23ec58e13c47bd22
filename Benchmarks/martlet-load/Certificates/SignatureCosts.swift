import ArgumentParser
import CryptographicMessages
import Foundation
import SCEP

/// What it takes to believe the signature of a request: in the form that Martlet writes, and in Apple's.
///
/// No server is asked. Both forms are of the same key and body, and are verified in turns.
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

    @OptionGroup var output: Output

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
        let turns = try await Turns.take(rounds) {
            try await cost(of: strict, body, signer)
        } second: {
            try await cost(of: apple, body, signer)
        }
        try output.show(SignatureTimes(turns))
    }

    private func cost(of cms: Data, _ body: Data, _ signer: PinnedSigner) async throws -> Cost {
        try await Cost.of(each) {
            for _ in 0..<each { try MessageSignature.verify(cms, over: body, by: signer, forms: .any) }
        }
    }
}

/// What verifying took.
private struct SignatureTimes: LoadResult {
    let strictMicroseconds: Double
    let appleMicroseconds: Double
    let signaturesOfEachForm: Int
    /// How many times as long the form of Apple's devices takes.
    let ratio: Double

    init(_ turns: Turns) {
        strictMicroseconds = turns.first.median(\.microsecondsEach)
        appleMicroseconds = turns.second.median(\.microsecondsEach)
        signaturesOfEachForm = turns.first.sum.count
        ratio = appleMicroseconds / strictMicroseconds
    }

    var text: String {
        let shown = [strictMicroseconds, appleMicroseconds, ratio].map { RequestResult.text($0, 2) }
        return "strict form \(shown[0]) µs, Apple's form \(shown[1]) µs, ratio \(shown[2])"
    }
}
