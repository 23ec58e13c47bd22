import Foundation

/// A number in a schema or under one; whole numbers that fit are integers, however they were written.
enum SchemaNumber: Hashable, Sendable {
    case integer(Int64)
    /// Only above `Int64.max`.
    case unsigned(UInt64)
    /// Only what neither of the others holds.
    case real(Double)

    init(_ value: Double) {
        if let whole = Int64(exactly: value) {
            self = .integer(whole)
        } else if let whole = UInt64(exactly: value) {
            self = .unsigned(whole)
        } else {
            self = .real(value)
        }
    }

    init(_ value: UInt64) {
        if let signed = Int64(exactly: value) { self = .integer(signed) } else { self = .unsigned(value) }
    }

    var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        }
    }

    /// How far from zero it is, if it is whole and of 64 bits.
    private var magnitude: UInt64? {
        switch self {
        case .integer(let value): value.magnitude
        case .unsigned(let value): value
        case .real: nil
        }
    }

    var isWhole: Bool {
        switch self {
        case .integer, .unsigned: true
        case .real(let value): value.isFinite && value.rounded() == value
        }
    }

    /// Exactly, also where an integer has more digits than a real holds; false with what is not a number.
    static func < (left: SchemaNumber, right: SchemaNumber) -> Bool {
        switch (left, right) {
        case (.integer(let one), .integer(let other)): one < other
        case (.unsigned(let one), .unsigned(let other)): one < other
        case (.integer, .unsigned): true
        case (.unsigned, .integer): false
        // No real of the third kind lies between 2⁶³ and 2⁶⁴.
        case (.unsigned, .real(let other)): other >= 0x1p64
        case (.real(let one), .unsigned): one < 0x1p63
        case (.real(let one), .real(let other)): one < other
        case (.integer(let one), .real(let other)): isLess(one, than: other)
        case (.real(let one), .integer(let other)): isGreater(other, than: one)
        }
    }

    static func <= (left: SchemaNumber, right: SchemaNumber) -> Bool { left == right || left < right }

    private static func isLess(_ integer: Int64, than real: Double) -> Bool {
        if real.isNaN { return false }
        if real >= 0x1p63 { return true }
        if real <= -0x1p63 { return false }
        return integer < Int64(real.rounded(.up))
    }

    private static func isGreater(_ integer: Int64, than real: Double) -> Bool {
        if real.isNaN { return false }
        if real >= 0x1p63 { return false }
        if real < -0x1p63 { return true }
        return integer > Int64(real.rounded(.down))
    }

    /// Whether it is a whole number of times `divisor`, as far as reals can tell.
    func isMultiple(of divisor: SchemaNumber) -> Bool {
        if let value = magnitude, let divisor = divisor.magnitude { return value % divisor == 0 }
        if fmod(double, divisor.double) == 0 { return true }
        if divisor.isWhole { return false }
        // 0.0075 is 75 times 0.0001 to people; to reals it is 74.99999999999999.
        let quotient = double / divisor.double
        let nearest = quotient.rounded()
        return quotient.isFinite && nearest != 0 && abs(quotient - nearest) <= abs(nearest) * 0x1p-50
    }
}

extension SchemaNumber: CustomStringConvertible {
    var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        }
    }
}
