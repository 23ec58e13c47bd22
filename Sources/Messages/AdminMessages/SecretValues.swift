/// What became of the values of single devices, or people; the values themselves are never answered.
/// `PUT /secrets/{name}/values`
package struct SecretValuesAnswer: Codable, Hashable, Sendable {
    /// `person` where the table names people and people are counted; nothing where it names devices.
    package var owner: String?
    /// The secret's version; the one before when nothing was another.
    package var version: Int
    /// Devices, or people, whose value is another now.
    package var set: Int
    /// Devices, or people, that have no value of their own any more.
    package var removed: Int
    /// Devices, or people, that have a value of their own.
    package var total: Int

    package init(owner: String? = nil, version: Int, set: Int, removed: Int, total: Int) {
        self.owner = owner
        self.version = version
        self.set = set
        self.removed = removed
        self.total = total
    }
}
