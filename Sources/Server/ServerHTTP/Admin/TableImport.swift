import Foundation

/// A table that sets many things at once, all or nothing, with the options of the request.
struct TableImport: Sendable {
    /// The query parameters for the options.
    static let query = [
        QueryParameter(
            name: "removeEmpty", schema: .boolean,
            summary: "An empty field removes what was there; false without it."),
        QueryParameter(name: "dryRun", schema: .boolean, summary: "Only says what would be done; false without it."),
    ]

    /// The bytes of comma-separated values.
    let table: Data
    let removesEmpty: Bool
    let isDryRun: Bool

    init(of call: AdminCall) async throws {
        isDryRun = try call.flag("dryRun")
        removesEmpty = try call.flag("removeEmpty")
        table = try await call.request.bytes(upTo: call.limits.tableBytes)
    }
}
