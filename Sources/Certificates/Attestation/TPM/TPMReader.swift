package import Foundation

/// Reads the TPM's big-endian structures; every length is checked against what is there.
package struct TPMReader {
    private let bytes: [UInt8]
    private var position = 0

    /// 8 KiB: the largest response of a TPM is half of that.
    package static let limit = 8_192

    package init(_ data: Data) throws(TPMMalformed) {
        guard data.count <= Self.limit else { throw TPMMalformed() }
        bytes = [UInt8](data)
    }

    package var isAtEnd: Bool { position == bytes.count }
    /// How many bytes are left.
    package var remaining: Int { bytes.count - position }

    package mutating func octets(_ count: Int) throws(TPMMalformed) -> Data {
        guard count >= 0, count <= bytes.count - position else { throw TPMMalformed() }
        defer { position += count }
        return Data(bytes[position..<position + count])
    }

    package mutating func integer<Integer: FixedWidthInteger & UnsignedInteger>(
        _ type: Integer.Type = Integer.self
    ) throws(TPMMalformed) -> Integer {
        try octets(Integer.bitWidth / 8).reduce(0) { $0 << 8 | Integer($1) }
    }

    /// A buffer with its length before it (TPM2B).
    package mutating func sized() throws(TPMMalformed) -> Data {
        try octets(Int(integer(UInt16.self)))
    }

    package func finish() throws(TPMMalformed) {
        guard isAtEnd else { throw TPMMalformed() }
    }
}

/// Writes the TPM's big-endian structures.
package struct TPMWriter {
    package private(set) var data = Data()

    package init() {}

    package mutating func octets(_ octets: Data) { data += octets }

    package mutating func integer(_ number: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            data.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// A buffer with its length before it (TPM2B).
    package mutating func sized(_ octets: Data) {
        precondition(octets.count <= UInt16.max, "a TPM2B holds at most 65,535 bytes")
        integer(UInt16(octets.count))
        data += octets
    }
}

/// The bytes are not the structure of the TPM that they should be.
package struct TPMMalformed: Error, Equatable {
    package init() {}
}
