/// Devices' attributes, as a store keeps them.
///
/// What is changed is decided by a rule on what the store loaded, in the transaction that then applies it.
package protocol AttributeStore: Sendable {
    /// Nothing where there is no device with this ID.
    func attributeState(of device: String) async throws -> AttributeState?
    /// For each text, the device with this ID, in any state, and the enrolled devices with this serial number: at most
    /// two, the one with the ID first.
    func attributeStates(ofEach references: [DeviceReference]) async throws -> [[AttributeState]]
    func changeAttributes(
        of device: String, by decide: @escaping @Sendable (AttributeState?) -> Outcome<AttributeChange, AdminRefusal>
    ) async throws -> Outcome<AttributeChange, AdminRefusal>
    /// The same for many, in one transaction; `decide` is given what `attributeStates(ofEach:)` finds.
    func changeAttributes(
        ofEach references: [DeviceReference],
        by decide: @escaping @Sendable ([[AttributeState]]) -> Outcome<[AttributeChange], AdminRefusal>
    ) async throws -> Outcome<[AttributeChange], AdminRefusal>
}
