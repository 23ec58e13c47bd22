package import Foundation
import SwiftASN1

/// A question about certificates (RFC 6960 §4.1), as far as it is answered: which ones, and what to repeat.
package struct OCSPRequest: Sendable, Equatable {
    /// One certificate, by its issuer's name and key and by its serial number.
    package struct Certificate: Sendable, Equatable {
        package enum Hash: Sendable, Equatable {
            case sha1, sha256
        }

        package let hash: Hash
        package let issuerName: Data
        package let issuerKey: Data
        /// Without the zero that makes it positive.
        package let serial: Data
        /// As it was sent: the answer repeats it.
        let encoded: Data
    }

    /// A client asks about the chain it was shown.
    package static let most = 8
    /// Eight certificates take 1 KiB; a signature of the client's is not read.
    package static let sizeLimit = 4_096

    package let certificates: [Certificate]
    package let nonce: Data?

    package init(parsing der: Data) throws(OCSPMalformed) {
        guard der.count <= Self.sizeLimit else { throw OCSPMalformed() }
        do {
            self = try DER.sequence(DER.parse([UInt8](der)), identifier: .sequence) { nodes in
                guard let body = nodes.next() else { throw OCSPMalformed() }
                _ = nodes.next()  // the client's signature
                return try OCSPRequest(body)
            }
        } catch {
            throw OCSPMalformed()
        }
    }

    private init(_ body: ASN1Node) throws {
        var found: [Certificate] = []
        var nonce: Data?
        try DER.sequence(body, identifier: .sequence) { nodes in
            while let node = nodes.next() {
                switch node.identifier {
                case .sequence: found = try Self.certificates(node)
                case .tagged(2): nonce = try Self.nonce(node)
                case .tagged(0), .tagged(1): continue
                default: throw OCSPMalformed()
                }
            }
        }
        guard (1...Self.most).contains(found.count) else { throw OCSPMalformed() }
        certificates = found
        self.nonce = nonce
    }

    private static func certificates(_ list: ASN1Node) throws -> [Certificate] {
        guard case .constructed(let requests) = list.content else { throw OCSPMalformed() }
        var found: [Certificate] = []
        for request in requests {
            guard found.count < most, case .constructed(let parts) = request.content,
                let identifier = parts.first(where: { _ in true })
            else { throw OCSPMalformed() }
            found.append(try Certificate(identifier))
        }
        return found
    }

    /// The extension of RFC 8954, among others that are not known.
    private static func nonce(_ tagged: ASN1Node) throws -> Data? {
        guard case .constructed(let inner) = tagged.content, let list = inner.first(where: { _ in true }),
            case .constructed(let extensions) = list.content
        else { throw OCSPMalformed() }
        for entry in extensions {
            guard case .constructed(let children) = entry.content else { throw OCSPMalformed() }
            let parts = Array(children)
            guard let first = parts.first, let last = parts.last,
                try ASN1ObjectIdentifier(derEncoded: first) == .ocspNonce
            else { continue }
            let value = Data(try ASN1OctetString(derEncoded: last).bytes)
            guard (1...130).contains(value.count) else { throw OCSPMalformed() }
            return value
        }
        return nil
    }
}

extension OCSPRequest.Certificate {
    init(_ node: ASN1Node) throws {
        encoded = Data(node.encodedBytes)
        guard case .constructed(let children) = node.content else { throw OCSPMalformed() }
        let parts = Array(children)
        guard parts.count == 4, case .constructed(let algorithm) = parts[0].content,
            let name = algorithm.first(where: { _ in true }), case .primitive(let serial) = parts[3].content,
            parts[3].identifier == .integer, (1...21).contains(serial.count)
        else { throw OCSPMalformed() }
        switch try ASN1ObjectIdentifier(derEncoded: name) {
        case [1, 3, 14, 3, 2, 26]: hash = .sha1
        case [2, 16, 840, 1, 101, 3, 4, 2, 1]: hash = .sha256
        default: throw OCSPMalformed()
        }
        issuerName = Data(try ASN1OctetString(derEncoded: parts[1]).bytes)
        issuerKey = Data(try ASN1OctetString(derEncoded: parts[2]).bytes)
        self.serial = Data(serial.first == 0 && serial.count > 1 ? serial.dropFirst() : serial)
    }
}

/// The bytes are no question that is answered.
package struct OCSPMalformed: Error, Equatable {}

extension ASN1Identifier {
    static func tagged(_ number: UInt) -> ASN1Identifier { .init(tagWithNumber: number, tagClass: .contextSpecific) }
}

extension ASN1ObjectIdentifier {
    static let ocspNonce: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
}
