/// Why there is no signature; says nothing about the key.
package enum SigningRefusal: Error, Equatable, Sendable {
    /// The algorithm is not one of this key.
    case algorithm
    /// What was given as a digest does not have the digest's length.
    case digestLength
    /// The key cannot be used.
    case key
    /// It took longer than anybody waits.
    case tookTooLong
    /// Too many signatures are asked for at once.
    case busy
}
