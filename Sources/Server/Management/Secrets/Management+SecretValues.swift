package import Foundation

extension Management {
    /// Gives single devices, or people, their own values of a secret, as a table says; all of it or nothing.
    ///
    /// What is not another than before stays untouched, and so do the devices that have it. With `replaces`, devices
    /// lose their value that a table of devices does not name, and people theirs that a table of people does not.
    package func setSecretValues(
        _ name: String, to table: Data, replaces: Bool, expected: ExpectedVersion = .any, author: String
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        guard Names.isSuitable(name) else {
            return .refused(
                .invalid(rule: "A secret's name is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        let wanted: SecretValueTable
        do { wanted = try SecretValueTable(parsing: table) } catch { return .refused(.table(error)) }
        // Another writer, or another master key, makes it start again from what is there then.
        for _ in 0..<5 {
            do {
                let outcome = try await setSecretValues(
                    name, to: wanted, replaces: replaces, expected: expected, author: author)
                if case .refused(.versionMoved) = outcome, expected == .any { continue }
                return outcome
            } catch is MasterKeyReplaced {
                try masterKeys.reload()
            } catch let unknown as UnknownSecretOwner {
                return .refused(.table(wanted.refusal(ofUnknown: unknown.userName)))
            }
        }
        throw StoreOverload()
    }

    private func setSecretValues(
        _ name: String, to table: SecretValueTable, replaces: Bool, expected: ExpectedVersion, author: String
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        let present = try await store.secret(named: name)
        guard expected.holds(for: present?.current.number) else {
            return .refused(.versionMoved(current: present?.current.number))
        }
        guard present == nil || present?.kind == .password else {
            return .refused(.invalid(rule: "Only a password has values of single devices or people."))
        }
        let values = try table.values.mapValues { try JSONEncoder().encode($0) }
        let changed = try await changedValues(of: name, table)
        let (keys, owners) = (masterKeys.present, table.owners)
        let fresh = values.filter { changed.contains($0.key) }
        let draft = SecretValuesDraft(
            name: name, kind: .password, owners: owners, names: values.keys.sorted(), changed: changed.sorted(),
            replaces: replaces, variables: table.variables, author: author, now: moment,
            seal: { version in try keys.seal(fresh, of: owners, secret: name, version: version) })
        let outcome = try await store.putSecretValues(
            draft, expected: present.map { .version($0.current.number) } ?? .absent, keeping: SecretLimits.versions)
        if case .accepted(let change) = outcome {
            // Devices with one manifest so far may differ from now on; their tokens stay as they were.
            manifests.forget(groups: change.groups)
            try await announce(change.devices) { $0.secrets.contains(name) }
        }
        return outcome
    }

    /// The devices, or people, whose value is another than the kept one.
    private func changedValues(of name: String, _ table: SecretValueTable) async throws -> Set<String> {
        var changed = Set(table.values.keys)
        let names = table.values.keys.sorted()
        for kept in try await store.secretValues(of: name, owners: table.owners, named: names) {
            guard let owner = kept.owner else { continue }
            if try value(of: kept) == table.values[owner.name] { changed.remove(owner.name) }
        }
        return changed
    }
}
