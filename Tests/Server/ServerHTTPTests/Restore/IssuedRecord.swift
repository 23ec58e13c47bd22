import Management

/// A certificate as the store has it; another type of this name says what an authority found in one.
typealias IssuedRecord = IssuedCertificate
