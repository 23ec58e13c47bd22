/// For whom the store is read: requests of administrators have connections and a time limit of their own, so that devices
/// do not wait behind a search of a large table.
package enum StoreReaders: Sendable {
    case devices
    case administrators

    @TaskLocal package static var current = StoreReaders.devices
}

/// A read for an administrator took longer than is allowed: what is asked for has to be narrowed, or asked for later.
package struct ReadTooLong: Error, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String { "the store ended a read that took too long" }
}
