import InputBounds

extension Management {
    /// What an assignment delivers as a defaults dictionary.
    func defaults(by wanted: Assignment) async throws -> Outcome<DefaultsContent, AdminRefusal> {
        guard wanted.delivery.isAsDefaults, let name = wanted.configuration else { return .accepted(.nothing) }
        guard let document = try await store.configuration(app: wanted.app, name: name, version: nil) else {
            return .refused(.unknownConfiguration)
        }
        guard let root = try? PropertyListValue(parsing: document.bytes, limits: .configuration) else {
            return .accepted(.nothing)
        }
        return .accepted(DefaultsContent(of: root, by: try await published(by: wanted.app)))
    }

    /// The same of what a configuration is to hold that assignments may deliver so.
    func defaults(
        of root: PropertyListValue, app: String, configuration name: String
    ) async throws -> DefaultsContent {
        guard try await isDeliveredAsDefaults(app: app, configuration: name) else { return .nothing }
        return DefaultsContent(of: root, by: try await published(by: app))
    }

    /// Why this content is refused in a defaults dictionary, or nil; counts what is refused.
    func refusal(
        of content: DefaultsContent, beside errors: [ConfigurationViolation], isForced: Bool, isPresent: Bool = false
    ) -> AdminRefusal? {
        let refusal = content.refusal(beside: errors, isForced: isForced, isPresent: isPresent)
        if refusal != nil { secretRefusals.note(content, isForced: isForced || isPresent) }
        return refusal
    }

    /// Whether a group's present assignment delivers the same configuration so: then nothing new comes into a defaults
    /// dictionary, and what was decided once is not asked again.
    func isDelivered(by wanted: Assignment) async throws -> Bool {
        guard let present = try await store.assignment(app: wanted.app, group: wanted.group) else { return false }
        return present.delivery.isAsDefaults && present.configuration == wanted.configuration
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
