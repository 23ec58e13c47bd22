import AppSpecification
import Crypto
package import Foundation
import InputBounds

/// What came of keeping a specification.
package struct StoredSpecification: Sendable, Equatable {
    package let record: SpecificationRecord
    /// Configurations that the version would refuse.
    package let warnings: [String]
}

extension Management {
    /// Keeps what an app published for a version.
    ///
    /// What is wrong in itself is refused; configurations that are there already stay, and are named where the version
    /// refuses them.
    package func putSpecification(
        _ bytes: Data, of app: String, version: String, author: String
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
            author: author, added: moment)
        let stored = try await store.putSpecification(
            SpecificationDocument(record: record, bytes: canonical), limit: SpecificationStoreLimits.versions,
            now: moment)
        switch stored {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let record):
            let warnings = try await configurations(of: app, refusedBy: specification, version)
            return .accepted(StoredSpecification(record: record, warnings: warnings))
        }
    }

    /// Every specification of an app, the newest version first.
    package func specifications(of app: String) async throws -> Outcome<[SpecificationRecord], AdminRefusal> {
        try await store.specifications(of: app).map { $0.sorted(by: Self.isNewer) }
    }

    package func specification(of app: String, version: String) async throws -> SpecificationDocument? {
        try await store.specification(of: app, version: version)
    }

    package func removeSpecification(of app: String, version: String, author: String) async throws -> AdminRefusal? {
        try await store.removeSpecification(of: app, version: version, author: author, now: moment)
    }

    /// What an app's specifications say about a configuration that is not kept: a dry run.
    package func judge(
        _ bytes: Data, of app: String
    ) async throws -> Outcome<SpecificationJudgement, AdminRefusal> {
        switch Self.judge(bytes) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged):
            guard try await store.app(app) != nil else { return .refused(.unknownApp) }
            return .accepted(try await judge(judged.root, of: app))
        }
    }

    /// What an app's specifications say about a configuration; nothing where there are none.
    func judge(_ root: PropertyListValue, of app: String) async throws -> SpecificationJudgement {
        let documents = try await store.specificationDocuments(of: app)
        return SpecificationJudgement(
            of: root,
            by: documents.sorted { Self.isNewer($0.record, than: $1.record) }.compactMap { document in
                // One that a later version of the rules refuses says nothing.
                (try? AppSpecification(parsing: document.bytes)).map { (document.record.version, $0) }
            })
    }

    private static func isNewer(_ one: SpecificationRecord, than other: SpecificationRecord) -> Bool {
        SpecificationChoice.isNewer(one.version, than: other.version)
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
            let judgement = SpecificationJudgement(of: root, by: [(version, specification)])
            guard let first = judgement.errors.first else { continue }
            warnings.append("The configuration \(configuration.name) is refused by this version: \(first.sentence)")
        }
        return warnings
    }
}
