package import Foundation
import SwiftASN1
import X509

/// A certificate that is not to be believed any more.
package struct RevokedCertificate: Sendable, Equatable {
    package let serial: Data
    package let revoked: Date
    /// The number of RFC 5280 §5.3.1; 0 says nothing and is left out.
    package let reason: Int

    package init(serial: Data, revoked: Date, reason: Int) {
        self.serial = serial
        self.revoked = revoked
        self.reason = reason
    }
}

extension Authority {
    /// Signs the list of revoked certificates (RFC 5280 §5), in DER.
    ///
    /// `number` must grow from list to list.
    package func revocationList(
        _ revoked: [RevokedCertificate], number: Int64, now: Date, nextUpdate: Date
    ) throws -> Data {
        var body = DER.Serializer()
        try body.appendConstructedNode(identifier: .sequence) { list in
            try list.serialize(1)
            try Self.writeAlgorithm(&list)
            try list.serialize(certificate.subject)
            try list.serialize(UTCTime(now))
            try list.serialize(UTCTime(nextUpdate))
            if !revoked.isEmpty {
                try list.appendConstructedNode(identifier: .sequence) { entries in
                    for entry in revoked { try Self.write(entry, &entries) }
                }
            }
            try list.appendConstructedNode(
                identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
            ) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { extensions in
                    try extensions.serialize(Certificate.Extension(authorityKeyIdentifier, critical: false))
                    var value = DER.Serializer()
                    try value.serialize(number)
                    try extensions.serialize(
                        Certificate.Extension(
                            oid: [2, 5, 29, 20], critical: false, value: value.serializedBytes[...]))
                }
            }
        }
        return try Data(signed(body.serializedBytes))
    }

    private static func write(_ entry: RevokedCertificate, _ list: inout DER.Serializer) throws {
        try list.appendConstructedNode(identifier: .sequence) { fields in
            fields.appendPrimitiveNode(identifier: .integer) { octets in
                if let first = entry.serial.first, first >= 0x80 { octets.append(0) }
                octets.append(contentsOf: entry.serial)
            }
            try fields.serialize(UTCTime(entry.revoked))
            guard entry.reason != 0 else { return }
            try fields.appendConstructedNode(identifier: .sequence) { extensions in
                var value = DER.Serializer()
                value.appendPrimitiveNode(identifier: .enumerated) { $0.append(UInt8(entry.reason)) }
                try extensions.serialize(
                    Certificate.Extension(oid: [2, 5, 29, 21], critical: false, value: value.serializedBytes[...]))
            }
        }
    }
}

extension UTCTime {
    /// Whole seconds in Greenwich.
    fileprivate init(_ date: Date) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hours: parts.hour ?? 0,
            minutes: parts.minute ?? 0, seconds: parts.second ?? 0)
    }
}
