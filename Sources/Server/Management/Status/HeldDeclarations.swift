import DeviceMessages

/// Which declarations a device holds, or should hold, each with the token that it was sent under.
struct HeldDeclarations: Equatable {
    private let references: [Set<ItemReference>]

    private static let kinds: [DeclarationKind] = [.activation, .asset, .configuration, .management]

    /// What the manifest tells of; nothing where that cannot be read.
    init?(of manifest: Manifest) {
        guard let items = try? DeclarationItems(parsing: manifest.itemsDocument) else { return nil }
        references = Self.kinds.map { Set(items[$0]) }
    }

    /// What a device reported on.
    init(_ reported: DeclarationStatuses?) {
        references = Self.kinds.map { kind in
            Set((reported?[kind] ?? []).map { ItemReference(identifier: $0.identifier, serverToken: $0.serverToken) })
        }
    }
}
