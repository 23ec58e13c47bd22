import CertificateAuthority
import Foundation
import HTTPTypes
import Hummingbird
import Management
import NIOCore
import Synchronization

/// `/pki`: what those who check identities need, the authority's certificate and the signed list of what is revoked.
struct RevocationListRoute: Sendable {
    let lists: RevocationLists
    /// In PEM.
    let certificate: String

    func add(to router: Router<MartletContext>) {
        router.get("/pki/crl") { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "application/pkix-crl",
                    .cacheControl: "max-age=\(Int(RevocationLists.kept))",
                ],
                body: ResponseBody(data: try await lists.current()))
        }
        router.get("/pki/identities.pem") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/x-pem-file", .cacheControl: "max-age=86400"],
                body: ResponseBody(data: Data((certificate + "\n").utf8)))
        }
    }
}

/// Signs the list of revoked certificates at most once a minute, whoever asks.
final class RevocationLists: Sendable {
    /// How long a list is given out: a revocation is in it after that time.
    static let kept: TimeInterval = 60
    /// Whoever holds a list fetches the next one within a day.
    private static let nextUpdate: TimeInterval = 24 * 3_600

    private let management: Management
    private let authority: Authority
    private let now: @Sendable () -> Date
    private let signed = Mutex<(list: Data, made: Date)?>(nil)

    init(management: Management, authority: Authority, now: @escaping @Sendable () -> Date) {
        self.management = management
        self.authority = authority
        self.now = now
    }

    func current() async throws -> Data {
        let moment = now()
        if let (list, made) = signed.withLock({ $0 }), (0..<Self.kept).contains(moment.timeIntervalSince(made)) {
            return list
        }
        let revoked = try await management.revokedIdentities().compactMap { certificate in
            certificate.revoked.map {
                RevokedCertificate(
                    serial: Hexadecimal.bytes(certificate.serial), revoked: $0, reason: certificate.reason)
            }
        }
        // Time grows from list to list, across restarts as well.
        let list = try authority.revocationList(
            revoked, number: Int64(moment.timeIntervalSince1970), now: moment, nextUpdate: moment + Self.nextUpdate)
        signed.withLock { $0 = (list, moment) }
        return list
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
