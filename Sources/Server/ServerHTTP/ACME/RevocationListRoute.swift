import CertificateAuthority
import Foundation
import HTTPTypes
import Hummingbird
import Management
import NIOCore
import NIOFoundationCompat
import Synchronization

/// `/pki`: what those who check identities need, the authority's certificate and the signed list of what is revoked.
struct RevocationListRoute: Sendable {
    /// An answer is written in pieces, so that a peer that reads slowly holds no more than one of them.
    private static let pieceBytes = 64 * 1024

    let lists: RevocationLists
    /// In PEM.
    let certificate: String
    let fetches: PeerRate

    func add(to router: Router<MartletContext>) {
        router.get("/pki/crl") { _, context in
            guard fetches.admits(context.peer.counted) else { throw HTTPProblem.fetchedEnough }
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/pkix-crl",
                    .cacheControl: "max-age=\(Int(RevocationLists.kept))",
                ],
                body: Self.body(try await lists.current()))
        }
        router.get("/pki/identities.pem") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/x-pem-file", .cacheControl: "max-age=86400"],
                body: ResponseBody(data: Data((certificate + "\n").utf8)))
        }
    }

    static func body(_ list: ByteBuffer) -> ResponseBody {
        guard list.readableBytes > pieceBytes else { return ResponseBody(byteBuffer: list) }
        return ResponseBody(contentLength: list.readableBytes) { writer in
            var rest = list
            while let piece = rest.readSlice(length: min(pieceBytes, rest.readableBytes)), piece.readableBytes > 0 {
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
    }
}

extension HTTPProblem {
    fileprivate static let fetchedEnough = HTTPProblem(
        .tooManyRequests, "throttled", "Too many lists were fetched from this address; keep the one you have",
        headers: [.retryAfter: "60"])
}

/// Signs the list of revoked certificates at most once a minute, however many ask.
///
/// One list is made at a time. It is made ahead of its time, and until it is there the one before is given out.
final class RevocationLists: Sendable {
    /// How long a list is given out: a revocation is in it after that time.
    static let kept: TimeInterval = 60
    /// From this age on the next one is made.
    private static let young: TimeInterval = 40
    /// Clients fetch the next list within a day.
    private static let nextUpdate: TimeInterval = 24 * 3_600

    private struct State {
        var last: (list: ByteBuffer, made: Date)?
        var making: Task<ByteBuffer, any Error>?
    }

    private let revocations: @Sendable () async throws -> [RevokedCertificate]
    private let authority: Authority
    private let work: SlowWork
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(
        authority: Authority, work: SlowWork, now: @escaping @Sendable () -> Date,
        revocations: @escaping @Sendable () async throws -> [RevokedCertificate]
    ) {
        self.authority = authority
        self.work = work
        self.now = now
        self.revocations = revocations
    }

    func current() async throws -> ByteBuffer {
        let moment = now()
        let (list, making) = state.withLock { state -> (ByteBuffer?, Task<ByteBuffer, any Error>?) in
            // A clock that was set back makes a list neither young nor old.
            let age = state.last.map { moment.timeIntervalSince($0.made) } ?? .infinity
            let usable = (0..<Self.kept).contains(age) ? state.last?.list : nil
            if usable != nil, age < Self.young { return (usable, nil) }
            let making = state.making ?? Task { try await self.make(moment) }
            state.making = making
            return (usable, making)
        }
        if let list { return list }
        guard let making else { throw CancellationError() }
        return try await making.value
    }

    private func make(_ moment: Date) async throws -> ByteBuffer {
        do {
            let revoked = try await revocations()
            // Time grows from list to list, across restarts as well.
            let list = try await work.run { [authority] in
                ByteBuffer(
                    data: try authority.revocationList(
                        revoked, number: Int64(moment.timeIntervalSince1970), now: moment,
                        nextUpdate: moment + Self.nextUpdate))
            }
            state.withLock { $0 = State(last: (list, moment)) }
            return list
        } catch {
            state.withLock { $0.making = nil }
            throw error
        }
    }
}

extension Hexadecimal {
    /// The bytes of a text that `text` wrote.
    static func bytes(_ text: String) -> Data {
        var bytes = Data()
        var high: UInt8?
        for character in text {
            guard let digit = character.hexDigitValue.map(UInt8.init) else { continue }
            if let first = high.take() { bytes.append(first << 4 | digit) } else { high = digit }
        }
        return bytes
    }
}
