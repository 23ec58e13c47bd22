package import Foundation
import InputBounds

/// What a table of attributes did, or would do.
package struct AttributeImport: Sendable, Equatable {
    /// How many devices have other attributes than before.
    package let changed: Int
    package let unchanged: Int
}

extension Management {
    /// A device's attributes; nothing where there is no such device.
    package func attributes(of device: String) async throws -> AttributeSet? {
        try await store.attributeState(of: device)?.attributes
    }

    /// Changes a device's attributes: it moves between the groups whose rules look at them, and is woken if it is given
    /// something else by that.
    package func changeAttributes(
        _ edit: AttributeEdit, of device: String, expected: AttributeSet? = nil, author: String
    ) async throws -> Outcome<AttributeSet, AdminRefusal> {
        let now = moment
        let outcome = try await store.changeAttributes(of: device) { state in
            AttributeChange.decide(edit, knowing: state, expected: expected, by: author, at: now)
        }
        if case .accepted(let change) = outcome, !change.changesNothing {
            try await valuesChanged(of: device)
        }
        return outcome.map(\.attributes)
    }

    /// Changes the attributes of all devices of a table, or of none when a line is refused; with `dryRun`, only says what
    /// it would do.
    ///
    /// What the table does not mention stays; with `removesEmpty` an empty field takes an attribute away.
    package func importAttributes(
        _ table: Data, removesEmpty: Bool = false, dryRun: Bool, author: String
    ) async throws -> Outcome<AttributeImport, AdminRefusal> {
        let rows: [AttributeRow]
        do {
            rows = try AttributeTable.rows(in: table, removesEmpty: removesEmpty)
        } catch {
            return .refused(.table(error))
        }
        let (references, now) = (rows.map { DeviceReference($0.device) }, moment)
        let decide: @Sendable ([[AttributeState]]) -> Outcome<[AttributeChange], AdminRefusal> = { found in
            AttributeChange.decide(rows, knowing: found, by: author, at: now)
        }
        let outcome =
            dryRun
            ? decide(try await store.attributeStates(ofEach: references))
            : try await store.changeAttributes(ofEach: references, by: decide)
        guard case .accepted(let changes) = outcome else {
            return outcome.map { _ in AttributeImport(changed: 0, unchanged: 0) }
        }
        let changed = changes.filter { !$0.changesNothing }
        if !dryRun, !changed.isEmpty {
            // Before anything that may fail: no device is served a manifest with the former values.
            for change in changed { manifests.forget(device: change.device.key) }
            for change in changed {
                try await announce([change.device]) { !$0.variables.isDisjoint(with: change.variables) }
            }
            await beginJudgingDue()
        }
        return .accepted(AttributeImport(changed: changed.count, unchanged: changes.count - changed.count))
    }
}
