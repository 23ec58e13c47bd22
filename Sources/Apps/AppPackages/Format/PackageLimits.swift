/// Bounds of a package: what is beyond is refused before, or while, it is read, never after.
package enum PackageLimits {
    /// A signature with RSA-4096 and three certificates takes 6 KiB.
    package static let signature = 16_384
    /// The list: about a hundred bytes a file.
    package static let list = 8_388_608
    /// A Swift or Electron app has hundreds of files, one that brings a runtime of its own some thousands.
    package static let files = 50_000
    /// Of one file, and of all of them; the container could tell sizes below 8 GiB.
    package static let file: UInt64 = 4 << 30
    package static let total: UInt64 = 8 << 30
    package static let information = 262_144
    package static let entitlements = 65_536
    package static let specification = 1_048_576
    /// Below PATH_MAX with room for the directory that an app is installed in.
    package static let path = 1_024
    package static let component = 255
    package static let depth = 32
    /// How much of the past a decompressor may be told to keep, as a power of two: 8 MiB.
    package static let window: Int32 = 23
    /// What is read of the compressed form at most, so that a stream without end has one.
    package static let compressed: UInt64 = total + (1 << 28)
}
