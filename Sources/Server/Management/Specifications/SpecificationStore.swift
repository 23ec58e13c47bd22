package import Foundation

/// What an app published for one of its versions, without the document.
package struct SpecificationRecord: Sendable, Equatable {
    package let app: String
    package let version: String
    /// Of the canonical document, in lowercase hexadecimal.
    package let sha256: String
    package let size: Int
    package let author: String
    package let added: Date
    /// The package that brought it, by its SHA-256; nothing where an administrator set it by hand.
    package let package: String?

    package init(
        app: String, version: String, sha256: String, size: Int, author: String, added: Date, package: String? = nil
    ) {
        self.app = app
        self.version = version
        self.sha256 = sha256
        self.size = size
        self.author = author
        self.added = added
        self.package = package
    }
}

/// A record with its canonical document.
package struct SpecificationDocument: Sendable, Equatable {
    package let record: SpecificationRecord
    package let bytes: Data

    package init(record: SpecificationRecord, bytes: Data) {
        self.record = record
        self.bytes = bytes
    }
}

/// What apps published, as a store keeps it.
package protocol SpecificationStore: Sendable {
    /// Adds or replaces the specification of a version, unless the app has `limit` others; the same again changes
    /// nothing. What a package brings does not replace what was set by hand: then that is answered.
    func putSpecification(
        _ document: SpecificationDocument, limit: Int, now: Date
    ) async throws -> Outcome<SpecificationRecord, AdminRefusal>
    /// Every one of an app, by version as a text.
    func specifications(of app: String) async throws -> Outcome<[SpecificationRecord], AdminRefusal>
    func specification(of app: String, version: String) async throws -> SpecificationDocument?
    /// Every one of an app with its document, in no order; none for what is no app.
    func specificationDocuments(of app: String) async throws -> [SpecificationDocument]
    func removeSpecification(
        of app: String, version: String, author: String, now: Date
    ) async throws -> AdminRefusal?
}

/// The bounds of what the server keeps of specifications.
package enum SpecificationStoreLimits {
    /// Versions of an app; each configuration is checked against all of them.
    package static let versions = 50
}
