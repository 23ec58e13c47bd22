/// What became of the values of single devices; the values themselves are never answered.
/// `PUT /secrets/{name}/values`
package struct SecretValuesAnswer: Codable, Hashable, Sendable {
    /// The secret's version; the one before when nothing was another.
    package var version: Int
    /// Devices whose value is another now.
    package var set: Int
    /// Devices that have no value of their own any more.
    package var removed: Int
    /// Devices that have a value of their own.
    package var total: Int

    package init(version: Int, set: Int, removed: Int, total: Int) {
        self.version = version
        self.set = set
        self.removed = removed
        self.total = total
    }
}
