import Foundation
import Management

/// What an app published, one document for each version.
package func storeContractSpecifications(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    func document(_ version: String, _ text: String, of package: String? = nil) -> SpecificationDocument {
        SpecificationDocument(
            record: SpecificationRecord(
                app: app, version: version, sha256: "sha-\(text)", size: text.utf8.count, author: "admin",
                added: time(1), package: package),
            bytes: Data(text.utf8))
    }
    func put(_ one: SpecificationDocument) async throws -> Outcome<SpecificationRecord, AdminRefusal> {
        try await store.putSpecification(one, limit: 2, now: time(1))
    }
    let (first, second) = (document("1.0", "one"), document("2.0", "two"))
    try await promise("an app must exist") { try await put(first).refusal == .unknownApp }
    try await promise("to be asked for, too") { try await store.specifications(of: app).refusal == .unknownApp }
    try await store.addApp(app, configuration: "main", bytes: "1")
    try await promise("it has none at first") { try accepted(try await store.specifications(of: app)).isEmpty }
    for one in [second, first] {
        try await promise("what is kept is answered") { try accepted(try await put(one)) == one.record }
    }
    try await promise("they are listed by version") {
        try accepted(try await store.specifications(of: app)) == [first.record, second.record]
    }
    try await promise("and found with their documents") {
        try await store.specification(of: app, version: "2.0") == second
    }
    try await promise("all together, too") {
        try await store.specificationDocuments(of: app).sorted { $0.record.version < $1.record.version } == [
            first, second,
        ]
    }
    try await promise("one app's are no other's") {
        let others = try await store.specificationDocuments(of: "com.example.other")
        return try await store.specification(of: "com.example.other", version: "2.0") == nil && others.isEmpty
    }
    try await promise("there is a limit") { try await put(document("3.0", "three")).refusal?.kind == .invalid }
    let changed = document("2.0", "changed")
    try await promise("that does not keep one from being replaced") {
        _ = try accepted(try await put(changed))
        return try await store.specification(of: app, version: "2.0") == changed
    }
    let packaged = document("2.0", "packaged", of: "p1")
    try await promise("what a package brings does not replace what was set by hand, which is answered") {
        try accepted(try await put(packaged)) == changed.record
    }
    try await promise("it takes a place that is free, and one that a package took") {
        _ = try await store.removeSpecification(of: app, version: "1.0", author: "admin", now: time(2))
        let (one, other) = (document("1.0", "brought", of: "p1"), document("1.0", "again", of: "p2"))
        let answers = [try accepted(try await put(one)), try accepted(try await put(other))]
        let kept = try await store.specification(of: app, version: "1.0")
        return answers == [one.record, other.record] && kept == other
    }
    try await promise("the same set by hand is by hand from then on") {
        _ = try accepted(try await put(document("1.0", "again")))
        return try await store.specification(of: app, version: "1.0")?.record.package == nil
    }
    try await promise("one that is removed is gone") {
        let refusal = try await store.removeSpecification(of: app, version: "2.0", author: "admin", now: time(2))
        return try await store.specification(of: app, version: "2.0") == nil && refusal == nil
    }
    try await promise("once") {
        try await store.removeSpecification(of: app, version: "2.0", author: "admin", now: time(2))
            == .unknownSpecification
    }
}
