import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOFoundationCompat
package import NIOSSL

/// The certificate authority that vouches for the server.
///
/// Nothing else does: no system store, no exceptions.
package struct Authority: Sendable {
    package let pem: String
    package let certificates: [NIOSSLCertificate]

    /// Reads one certificate or several, as PEM.
    package init(pem: String) throws(Failure) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), !certificates.isEmpty else {
            throw Failure(.failed, "the authority is no PEM certificate", advice: "The server serves it as /ca.pem.")
        }
        self.pem = pem
        self.certificates = certificates
    }

    /// The SHA-256 of the first certificate, in lowercase hexadecimal digits.
    package var fingerprint: String {
        guard let first = certificates.first, let der = try? first.toDERBytes() else { return "" }
        return Self.digits(SHA256.hash(data: der))
    }

    /// The settings with which a connection is either to this authority's server or not made at all.
    package var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(certificates)
        return configuration
    }

    /// Hexadecimal digits as people copy them, with colons, blanks and capitals, brought to one form.
    package static func fingerprint(reading text: String) -> String? {
        let digits = text.lowercased().filter { $0 != ":" && $0 != " " }
        guard digits.count == 64, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        return digits
    }

    /// Fetches the authority of which only the fingerprint is known.
    ///
    /// The connection itself is not verified: it carries nothing but a public certificate, and what arrives is used
    /// only if it has the fingerprint.
    static func fetch(from server: URL, fingerprint: String) async throws -> Authority {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(10), read: .seconds(10)))
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.minimumTLSVersion = .tlsv12
        configuration.tlsConfiguration?.certificateVerification = .none
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let answer: Data
        do {
            let request = HTTPClientRequest(url: server.appending(path: "ca.pem").absoluteString)
            let response = try await http.execute(request, timeout: .seconds(15))
            answer = Data(buffer: try await response.body.collect(upTo: 65_536))
            try await http.shutdown()
        } catch {
            try? await http.shutdown()
            throw Unreachable.failure(error, server: server.absoluteString)
        }
        let authority = try Authority(pem: String(decoding: answer, as: UTF8.self))
        guard authority.certificates.count == 1, authority.fingerprint == fingerprint else {
            throw Failure(
                .unreachable, "the server's authority does not have this fingerprint",
                advice: "Compare it with what the server printed at its first start. Nothing was sent.")
        }
        return authority
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
