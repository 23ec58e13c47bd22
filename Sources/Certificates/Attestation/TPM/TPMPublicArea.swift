package import Foundation

/// The public half of an object in a TPM (TPMT_PUBLIC).
package struct TPMPublicArea: Sendable, Hashable {
    package var nameHash: TPMHash
    package var attributes: TPMAttributes
    package var policy: Data
    package var kind: Kind

    /// What the object is, with its public value; an empty value asks the chip for a new one.
    package enum Kind: Sendable, Hashable {
        case rsa(RSA)
        case ecc(ECC)
        /// Sealed bytes.
        case sealed(unique: Data)
    }

    package struct RSA: Sendable, Hashable {
        package var symmetric: Symmetric?
        package var scheme: Scheme?
        package var bits: UInt16
        /// As it stands in the name: zero means 65537.
        package var exponent: UInt32
        package var modulus: Data

        package init(symmetric: Symmetric?, scheme: Scheme?, bits: UInt16, exponent: UInt32 = 0, modulus: Data) {
            self.symmetric = symmetric
            self.scheme = scheme
            self.bits = bits
            self.exponent = exponent
            self.modulus = modulus
        }
    }

    package struct ECC: Sendable, Hashable {
        package var symmetric: Symmetric?
        package var scheme: Scheme?
        package var curve: TPMCurve
        package var x: Data
        package var y: Data

        package init(symmetric: Symmetric?, scheme: Scheme?, curve: TPMCurve, x: Data, y: Data) {
            self.symmetric = symmetric
            self.scheme = scheme
            self.curve = curve
            self.x = x
            self.y = y
        }
    }

    /// AES in CFB mode, with which a parent protects what is below it.
    package struct Symmetric: Sendable, Hashable {
        package var bits: UInt16

        package init(bits: UInt16) {
            self.bits = bits
        }
    }

    /// The one way the key may be used, where that is fixed.
    package struct Scheme: Sendable, Hashable {
        package var algorithm: TPMAlgorithm
        package var hash: TPMHash?

        package init(_ algorithm: TPMAlgorithm, _ hash: TPMHash? = nil) {
            self.algorithm = algorithm
            self.hash = hash
        }
    }

    package init(nameHash: TPMHash = .sha256, attributes: TPMAttributes, policy: Data = Data(), kind: Kind) {
        self.nameHash = nameHash
        self.attributes = attributes
        self.policy = policy
        self.kind = kind
    }

    /// The name a TPM gives the object: the hash of all that is public about it.
    package var name: Data {
        var writer = TPMWriter()
        writer.integer(nameHash.rawValue)
        writer.octets(nameHash.hash(encoded))
        return writer.data
    }
}
