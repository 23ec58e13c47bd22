import CertificateAuthority
import CryptographicMessages
import Foundation
import SCEP
import TestInputs
import Testing

/// Changed SCEP messages: no crash, nothing altered accepted, memory and error queue as before.
struct SCEPFuzzTests {
    let server: SCEPServer

    init() throws {
        let authority = try Identity.authority.get()
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
    }

    @Test(arguments: [UInt64(1), 2])
    func `a changed message yields the request that was signed, or none`(_ seed: UInt64) throws {
        let message = try SCEPMessage(signer: .rsa)
        let original = try message.encoded(to: server.caCertificate)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for round in 0..<Mutation.iterations / 4 {
            let changed = Mutation.mutateDER(original, using: &generator)
            let request = try? server.open(pkiMessage: changed, allowLegacy: round.isMultiple(of: 2))
            guard let request else { continue }
            #expect(request.csr.der == message.content)
            #expect(request.transactionID == "T-1")
            #expect(request.senderNonce == Data(1...16))
            #expect(request.csr.challengePassword == "code")
        }
        #expect(!OpenSSLReference.hasErrors)
    }

    @Test(arguments: [UInt64(3)])
    func `changed inner layers under a true signature do not crash`(_ seed: UInt64) throws {
        let message = try SCEPMessage(signer: .rsa)
        let envelope = try EnvelopedMessage.seal(message.content, to: server.caCertificate)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for round in 0..<Mutation.iterations / 8 {
            let changed: Data
            if round.isMultiple(of: 2) {
                changed = try message.signed(Mutation.mutateDER(envelope, using: &generator))
            } else {
                let request = Mutation.mutateDER(message.content, using: &generator)
                changed = try message.signed(EnvelopedMessage.seal(request, to: server.caCertificate))
            }
            if let request = try? server.open(pkiMessage: changed, allowLegacy: true) {
                // CBC is malleable: what comes out must at least still be a true request of the signer.
                #expect(request.csr.publicKeyDER == message.signer.key.publicKeyInfo)
            }
        }
        #expect(!OpenSSLReference.hasErrors)
    }

    @Test(arguments: [UInt64(4)])
    func `a changed reply is never taken for another answer`(_ seed: UInt64) throws {
        let identity = try Identity.rsa
        let (message, exchange) = try SCEPClient.makeRequest(
            subject: [[["CN", "x"]]], challenge: nil, key: identity.key, caCertificate: server.caCertificate,
            capabilities: server.capabilities, now: Identity.now)
        let request = try server.open(pkiMessage: message, allowLegacy: false)
        let reply = try server.success(request, certificateDER: identity.certificateDER)
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations / 4 {
            let changed = Mutation.mutateDER(reply, using: &generator)
            guard let answer = try? SCEPClient.readReply(changed, exchange) else { continue }
            #expect(answer == .issued(certificateDER: identity.certificateDER))
        }
    }

    @Test(arguments: [UInt64(5)])
    func `requests and bundles of any form do not crash`(_ seed: UInt64) throws {
        let identity = try Identity.rsa
        let request = try CertificateRequest.make(subject: [[["CN", "x"]]], challenge: "code", key: identity.key)
        let bundle = CertificateBundle.encode([identity.certificateDER, server.caCertificate])
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(request, using: &generator)
            if let parsed = try? CertificateRequest(parsing: changed) { #expect(parsed.challengePassword == "code") }
            _ = try? SCEPClient.readCertificates(Mutation.mutateDER(bundle, using: &generator))
        }
    }

    /// A leaked message or certificate would show as kilobytes per round.
    private static let variable = "MARTLET_SCEP_MEMORY"
    private static let isAlone = ProcessInfo.processInfo.environment[variable] != nil

    @Test(.enabled(if: isAlone, "only as the process of the next test"))
    func `memory is steady over refused and accepted messages`() throws {
        let message = try SCEPMessage(signer: .rsa)
        let original = try message.encoded(to: server.caCertificate)
        let rounds = max(400, Mutation.iterations / 4)
        var generator = SplitMix64(seed: 6)
        func play() {
            for round in 0..<rounds {
                let input = round.isMultiple(of: 4) ? original : Mutation.mutateDER(original, using: &generator)
                if let request = try? server.open(pkiMessage: input, allowLegacy: true) {
                    _ = try? server.success(request, certificateDER: message.signer.certificateDER)
                    _ = try? server.failure(request, .badRequest)
                }
            }
        }
        play()
        let before = try residentMemory()
        play()
        let growth = try residentMemory() - before
        try #require(growth < 4 << 20 + rounds * 1024, "grew by \(growth) bytes in \(rounds) rounds")
    }

    /// In a process of its own: what other tests allocate is not counted.
    @Test(.enabled(if: !isAlone), .timeLimit(.minutes(10)))
    func `memory is steady, measured in a process of its own`() async throws {
        let process = Process()
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["--testing-library", "swift-testing", "--filter", "SCEPFuzzTests.*memory"]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: "yes"]) { _, new in new }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        #expect(process.terminationStatus == 0, "its process tells the growth: \(Self.variable)=yes")
    }
}
