package import Foundation
import SwiftASN1

/// A question about certificates (RFC 6960 §4.1), as far as it is answered: which ones, and what to repeat.
package struct OCSPRequest: Sendable, Equatable {
    /// One certificate, by its issuer's name and key and by its serial number.
    package struct Certificate: Sendable, Equatable {
        package enum Hash: Sendable, Equatable {
            case sha1, sha256

            var length: Int { self == .sha1 ? 20 : 32 }
        }

        package let hash: Hash
        package let issuerName: Data
        package let issuerKey: Data
        /// Without the zero that makes it positive.
        package let serial: Data
        /// As it was sent: the answer repeats it, and answers are kept by it.
        ///
        /// Of one certificate there are four such forms at most: by either hash, with parameters that say nothing or
        /// without.
        package let encoded: Data
    }

    /// A client asks about the chain it was shown.
    package static let most = 8
    /// Eight certificates take 1 KiB; a signature of the client's is not read.
    package static let sizeLimit = 4_096

    package let certificates: [Certificate]
    package let nonce: Data?

    /// Whether the same answer is good for everybody who asks: about one certificate, and without a number that is to be
    /// repeated (RFC 5019 §2.1).
    package var isCommon: Bool { certificates.count == 1 && nonce == nil }

    /// The question in the path of a GET: Base64, its slashes and plus signs escaped or not (RFC 6960 A.1).
    package init(parsingPath text: some StringProtocol) throws(OCSPMalformed) {
        // Each octet of Base64 may be escaped with three.
        guard text.utf8.count <= Self.sizeLimit * 4, let base64 = text.removingPercentEncoding,
            let der = Data(base64Encoded: base64)
        else { throw OCSPMalformed() }
        try self.init(parsing: der)
    }

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
        guard node.identifier == .sequence, parts.count == 4, case .primitive(let serial) = parts[3].content,
            parts[3].identifier == .integer, (1...21).contains(serial.count)
        else { throw OCSPMalformed() }
        hash = try Self.hash(parts[0])
        issuerName = Data(try ASN1OctetString(derEncoded: parts[1]).bytes)
        issuerKey = Data(try ASN1OctetString(derEncoded: parts[2]).bytes)
        guard issuerName.count == hash.length, issuerKey.count == hash.length else { throw OCSPMalformed() }
        let hasZero = serial.first == 0 && serial.count > 1
        self.serial = Data(hasZero ? serial.dropFirst() : serial)
        // A zero that is not needed, or one that is missing, would make another form of the same number.
        guard hasZero == ((self.serial.first ?? 0) >= 0x80) else { throw OCSPMalformed() }
    }

    private static func hash(_ node: ASN1Node) throws -> Hash {
        guard node.identifier == .sequence, case .constructed(let children) = node.content else {
            throw OCSPMalformed()
        }
        let parts = Array(children)
        guard (1...2).contains(parts.count) else { throw OCSPMalformed() }
        if parts.count == 2 { _ = try ASN1Null(derEncoded: parts[1]) }
        return switch try ASN1ObjectIdentifier(derEncoded: parts[0]) {
        case [1, 3, 14, 3, 2, 26]: .sha1
        case [2, 16, 840, 1, 101, 3, 4, 2, 1]: .sha256
        default: throw OCSPMalformed()
        }
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
