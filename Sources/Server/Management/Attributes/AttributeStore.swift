/// Devices' attributes, as a store keeps them.
///
/// What is changed is decided by a rule on what the store loaded, in the transaction that then applies it.
package protocol AttributeStore: Sendable {
    /// Nothing where there is no device with this ID.
    func attributeState(of device: String) async throws -> AttributeState?
    /// For each name the device with this ID, or else those with this serial number that are enrolled: at most two.
    func attributeStates(ofEach names: [String]) async throws -> [[AttributeState]]
    func changeAttributes(
        of device: String, by decide: @escaping @Sendable (AttributeState?) -> Outcome<AttributeChange, AdminRefusal>
    ) async throws -> Outcome<AttributeChange, AdminRefusal>
    /// The same for many, in one transaction; `decide` is given what `attributeStates(ofEach:)` finds.
    func changeAttributes(
        ofEach names: [String],
        by decide: @escaping @Sendable ([[AttributeState]]) -> Outcome<[AttributeChange], AdminRefusal>
    ) async throws -> Outcome<[AttributeChange], AdminRefusal>
}
