import InputBounds

extension Management {
    /// What there is to say of what an assignment delivers as a defaults dictionary; nothing where it delivers none.
    func judgeDelivery(by wanted: Assignment) async throws -> Outcome<[String], AdminRefusal> {
        guard wanted.delivery.isAsDefaults, let name = wanted.configuration else { return .accepted([]) }
        guard let document = try await store.configuration(app: wanted.app, name: name, version: nil) else {
            return .refused(.unknownConfiguration)
        }
        guard let root = try? PropertyListValue(parsing: document.bytes, limits: .configuration) else {
            return .accepted([])
        }
        return try await judgeDefaults(root, of: wanted.app)
    }

    /// The same of what a configuration is to hold that assignments may deliver so.
    func judgeDelivery(
        of root: PropertyListValue, app: String, configuration name: String
    ) async throws -> Outcome<[String], AdminRefusal> {
        guard try await isDeliveredAsDefaults(app: app, configuration: name) else { return .accepted([]) }
        return try await judgeDefaults(root, of: app)
    }

    private func judgeDefaults(
        _ root: PropertyListValue, of app: String
    ) async throws -> Outcome<[String], AdminRefusal> {
        let content = DefaultsContent(of: root, by: try await published(by: app))
        if let refusal = content.refusal { return .refused(refusal) }
        return .accepted(content.warnings)
    }

    private func isDeliveredAsDefaults(app: String, configuration name: String) async throws -> Bool {
        var page = PageRequest(limit: PageRequest.largest)
        while true {
            let found = try await store.assignments(AssignmentFilter(app: app), page)
            if found.items.contains(where: { $0.configuration == name && $0.delivery.isAsDefaults }) { return true }
            guard let next = found.next else { return false }
            page = PageRequest(after: next, limit: PageRequest.largest)
        }
    }
}
