/// How much of an input is looked at before it is refused.
///
/// Each entrance has its own limits. `objects` counts what a decoder would build: every value and every dictionary
/// key, after shared references of a binary property list are expanded.
package struct InputLimits: Hashable, Sendable {
    /// The deepest nesting any entrance may allow: the readers keep the kinds of open containers in one 128-bit word.
    package static let deepest = 128

    package let bytes: Int
    package let depth: Int
    package let objects: Int

    package init(bytes: Int, depth: Int = 64, objects: Int) {
        precondition(
            bytes > 0 && objects > 0 && depth > 0 && depth <= Self.deepest, "limits that allow nothing or too much")
        self.bytes = bytes
        self.depth = depth
        self.objects = objects
    }

    /// An app's configuration: one mebibyte as sent, what `asset.data` may carry to an app.
    package static let configuration = InputLimits(bytes: 1_048_576, objects: 200_000)
    /// A message of a device, or of a server to a device.
    ///
    /// A status report travels inside one in Base64.
    package static let message = InputLimits(bytes: 2_097_152, objects: 100_000)
    /// The JSON document inside a status message.
    package static let statusReport = InputLimits(bytes: 1_572_864, objects: 100_000)
    /// A message on the local socket: a configuration in Base64 and what surrounds it.
    package static let appMessage = InputLimits(bytes: 4_194_304, objects: 20_000)
    /// The body of an administrator's request.
    package static let adminBody = InputLimits(bytes: 2_097_152, objects: 200_000)
}
