package import DeviceMessages

extension Manifest {
    /// The bundle identifiers of the apps whose present configuration the device holds, by its report.
    ///
    /// The declaration of such an app is active and valid, and the declaration and its assets have the manifest's
    /// tokens. An app is not current if the report is about older content, or if the configuration could not be
    /// applied.
    package func currentApps(by reported: DeclarationStatuses?) -> Set<String> {
        guard let reported, let items = try? DeclarationItems(parsing: itemsDocument) else { return [] }
        let held = Set((reported.configurations + reported.assets).map(ItemReference.init))
        let stale = Set((items.configurations + items.assets).filter { !held.contains($0) }.map(\.identifier))
        let serving = Set(reported.configurations.filter { $0.active && $0.valid == .valid }.map(\.identifier))
        var current: Set<String> = []
        for item in items.configurations where serving.contains(item.identifier) && !stale.contains(item.identifier) {
            let place = Self.name(kind: .configuration, identifier: item.identifier)
            guard let app = apps[place], let document = declarations[place],
                let declaration = try? Declaration(parsing: document),
                let configuration = try? declaration.read(AppManagedConfiguration.self),
                stale.isDisjoint(with: configuration.assetReferences)
            else { continue }
            current.insert(app)
        }
        return current
    }
}

extension ItemReference {
    /// What a device reported on.
    init(_ status: DeclarationStatus) {
        self.init(identifier: status.identifier, serverToken: status.serverToken)
    }
}
