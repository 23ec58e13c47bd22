import AppSpecification
import Crypto
package import Foundation
import InputBounds

/// What came of keeping a specification.
package struct StoredSpecification: Sendable, Equatable {
    package let record: SpecificationRecord
    /// Configurations that the version would refuse, and secrets for which no version asks.
    package let warnings: [String]
}

extension Management {
    /// Keeps what an app published for a version.
    ///
    /// One that a package brings does not replace what was set by hand: then that is answered. What is wrong in itself is refused; configurations that are there already stay, and are named where the version
    /// refuses them.
    package func putSpecification(
        _ bytes: Data, of app: String, version: String, from package: String? = nil, author: String
    ) async throws -> Outcome<StoredSpecification, AdminRefusal> {
        guard Names.isSuitable(version) else {
            return .refused(.invalid(rule: "A version is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        let specification: AppSpecification
        do {
            specification = try AppSpecification(parsing: bytes)
        } catch {
            return .refused(.invalid(rule: "The specification is refused, \(error)."))
        }
        guard specification.app.bundleIdentifier == app else {
            return .refused(.invalid(rule: "The specification is of another app."))
        }
        guard specification.app.version == nil || specification.app.version == version else {
            return .refused(.invalid(rule: "The specification is of another version of the app."))
        }
        if let fault = specification.lint().first(where: { $0.severity == .error }) {
            return .refused(.invalid(rule: "The specification is wrong, \(fault.description)."))
        }
        let canonical = specification.canonical()
        let record = SpecificationRecord(
            app: app, version: version, sha256: Hexadecimal.text(SHA256.hash(data: canonical)), size: canonical.count,
            author: author, added: moment, package: package)
        let stored = try await store.putSpecification(
            SpecificationDocument(record: record, bytes: canonical), limit: SpecificationStoreLimits.versions,
            now: moment)
        switch stored {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let record):
            guard record.package == package else { return .accepted(StoredSpecification(record: record, warnings: [])) }
            var warnings = try await configurations(of: app, refusedBy: specification, version)
            // These were assigned before the app said for which secrets it asks.
            let assigned = try await store.secretAssignments(
                SecretAssignmentFilter(app: app), PageRequest(limit: PageRequest.largest))
            let places = Dictionary(grouping: assigned.items) { assignment in
                SecretSlot(
                    group: "", app: app, extension: assignment.slot.extension, kind: assignment.slot.kind,
                    identifier: assignment.slot.identifier)
            }
            let sorted = places.sorted { one, other in
                (one.key.identifier, one.key.kind.rawValue, one.key.extension ?? "")
                    < (other.key.identifier, other.key.kind.rawValue, other.key.extension ?? "")
            }
            // For each, the configurations of the app may be read.
            for (place, given) in sorted.prefix(100) {
                guard let found = try await mismatch(of: place) else { continue }
                let groups = given.map(\.slot.group).sorted().joined(separator: ", ")
                warnings.append(
                    "A secret is assigned for which the app does not ask (\(groups)): "
                        + "\(found.identifier): \(found.message).")
            }
            return .accepted(StoredSpecification(record: record, warnings: warnings))
        }
    }

    /// Every specification of an app, the newest version first.
    package func specifications(of app: String) async throws -> Outcome<[SpecificationRecord], AdminRefusal> {
        try await store.specifications(of: app).map { records in
            records.sorted { SpecificationChoice.precedes($0.version, $1.version) }
        }
    }

    package func specification(of app: String, version: String) async throws -> SpecificationDocument? {
        try await store.specification(of: app, version: version)
    }

    package func removeSpecification(of app: String, version: String, author: String) async throws -> AdminRefusal? {
        try await store.removeSpecification(of: app, version: version, author: author, now: moment)
    }

    private func configurations(
        of app: String, refusedBy specification: AppSpecification, _ version: String
    ) async throws -> [String] {
        var warnings: [String] = []
        let page = PageRequest(limit: PageRequest.largest)
        for configuration in try await store.configurations(of: app, page).value?.items ?? [] {
            guard let document = try await store.configuration(app: app, name: configuration.name, version: nil),
                let root = try? PropertyListValue(parsing: document.bytes, limits: .configuration)
            else { continue }
            let found = VersionFindings(in: root, by: specification, of: version)
            guard let first = found.findings.first(where: { $0.severity == .error }) else { continue }
            warnings.append("The configuration \(configuration.name) is refused by this version: \(first.sentence)")
        }
        return warnings
    }
}
