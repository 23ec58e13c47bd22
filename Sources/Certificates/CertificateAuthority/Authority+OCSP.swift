import Crypto
package import Foundation
import SwiftASN1
import X509

/// What there is to say of a certificate that was asked about.
package enum OCSPStatus: Sendable, Equatable {
    case good
    case revoked(Date, reason: Int)
    /// Not one of ours.
    case unknown
}

extension Authority {
    /// Whether a question is about a certificate that this authority issued, as far as its issuer goes.
    package func isIssuer(of asked: OCSPRequest.Certificate) -> Bool {
        guard let name = try? Self.encoded(certificate.subject), let key = try? Self.keyBits(certificate.publicKey)
        else { return false }
        return switch asked.hash {
        case .sha1:
            asked.issuerName.elementsEqual(Insecure.SHA1.hash(data: name))
                && asked.issuerKey.elementsEqual(Insecure.SHA1.hash(data: key))
        case .sha256:
            asked.issuerName.elementsEqual(SHA256.hash(data: name))
                && asked.issuerKey.elementsEqual(SHA256.hash(data: key))
        }
    }

    /// Signs the answer to a question (RFC 6960 §4.2), in DER: one status for each certificate, in their order.
    package func answer(
        _ request: OCSPRequest, _ statuses: [OCSPStatus], now: Date, nextUpdate: Date
    ) throws -> Data {
        var body = DER.Serializer()
        try body.appendConstructedNode(identifier: .sequence) { response in
            try response.appendConstructedNode(identifier: .tagged(1)) { try $0.serialize(certificate.subject) }
            try response.serialize(GeneralizedTime(now))
            try response.appendConstructedNode(identifier: .sequence) { list in
                for (asked, status) in zip(request.certificates, statuses) {
                    try Self.write(asked, status, now: now, nextUpdate: nextUpdate, &list)
                }
            }
            guard let nonce = request.nonce else { return }
            try response.appendConstructedNode(identifier: .tagged(1)) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { extensions in
                    try extensions.serialize(
                        Certificate.Extension(oid: .ocspNonce, critical: false, value: [UInt8](nonce)[...]))
                }
            }
        }
        return try Self.response(status: 0, basic: signed(body.serializedBytes))
    }

    /// What is answered to what cannot be read: unsigned, as the protocol has it.
    package static func ocspRefusal() throws -> Data { try response(status: 1, basic: nil) }

    private static func response(status: UInt8, basic: [UInt8]?) throws -> Data {
        var whole = DER.Serializer()
        try whole.appendConstructedNode(identifier: .sequence) { response in
            response.appendPrimitiveNode(identifier: .enumerated) { $0.append(status) }
            guard let basic else { return }
            try response.appendConstructedNode(identifier: .tagged(0)) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { bytes in
                    try bytes.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1, 1] as ASN1ObjectIdentifier)
                    try bytes.serialize(ASN1OctetString(contentBytes: basic[...]))
                }
            }
        }
        return Data(whole.serializedBytes)
    }

    private static func write(
        _ asked: OCSPRequest.Certificate, _ status: OCSPStatus, now: Date, nextUpdate: Date,
        _ list: inout DER.Serializer
    ) throws {
        try list.appendConstructedNode(identifier: .sequence) { single in
            single.serializeRawBytes(asked.encoded)
            switch status {
            case .good: single.appendPrimitiveNode(identifier: .tagged(0)) { _ in }
            case .unknown: single.appendPrimitiveNode(identifier: .tagged(2)) { _ in }
            case .revoked(let moment, let reason):
                try single.appendConstructedNode(identifier: .tagged(1)) { info in
                    try info.serialize(GeneralizedTime(moment))
                    guard reason != 0 else { return }
                    info.appendConstructedNode(identifier: .tagged(0)) { tagged in
                        tagged.appendPrimitiveNode(identifier: .enumerated) { $0.append(UInt8(reason)) }
                    }
                }
            }
            try single.serialize(GeneralizedTime(now))
            try single.appendConstructedNode(identifier: .tagged(0)) { try $0.serialize(GeneralizedTime(nextUpdate)) }
        }
    }

    private static func encoded(_ name: DistinguishedName) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(name)
        return serializer.serializedBytes
    }

    /// The bits of the key alone, without what kind of key it is.
    private static func keyBits(_ key: Certificate.PublicKey) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(key)
        return try DER.sequence(DER.parse(serializer.serializedBytes), identifier: .sequence) { nodes in
            guard nodes.next() != nil, let bits = nodes.next() else { throw OCSPMalformed() }
            return Array(try ASN1BitString(derEncoded: bits).bytes)
        }
    }
}

extension GeneralizedTime {
    /// Whole seconds in Greenwich.
    fileprivate init(_ date: Date) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hours: parts.hour ?? 0,
            minutes: parts.minute ?? 0, seconds: parts.second ?? 0, fractionalSeconds: 0)
    }
}
