/// Something in a package that makes it larger than it need be.
package struct PackageWarning: Hashable, Sendable, Encodable {
    package let kind: Kind
    /// The path in the package; nil where it is about all of it.
    package let file: String?
    /// How many bytes are concerned.
    package let size: UInt64

    package enum Kind: String, Hashable, Sendable, CaseIterable, Encodable {
        case leftover, duplicate, unmentioned, debugging
        case uncompressedSound, sampleRate, oldVideo, uncompressedImage, largePackage
    }

    /// What to do about it, as one sentence.
    package var advice: String {
        switch kind {
        case .leftover: "is left over from making the app; leave it out"
        case .duplicate: "is there twice, byte by byte; one of them does"
        case .unmentioned: "is named by no file of the package; is it used?"
        case .debugging: "carries what only debuggers and linkers read; strip takes it off"
        case .uncompressedSound: "is uncompressed sound; AAC or at least MP3 takes a tenth"
        case .sampleRate: "is sampled above 22.05 kHz, which most ears need not"
        case .oldVideo: "is video of an older form; H.264 takes less for the same picture"
        case .uncompressedImage: "is an uncompressed picture; PNG, JPEG or WebP takes less"
        case .largePackage: "the package has more than 100 MB; can something be fetched later, when it is needed?"
        }
    }
}
