import ArgumentParser

/// A table that sets many things at once: the server takes it whole or not at all.
struct TableImport: ParsableArguments {
    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Remove what was there where the file has an empty field.")
    var removeEmpty = false

    @Flag(help: "Only say what would be done.")
    var dryRun = false

    /// Sends the table to a place of the API.
    func send<Made: Decodable>(to place: String) async throws -> Made {
        let table = try TableFile.bytes(at: file)
        let query: [(String, String)?] = [
            dryRun ? ("dryRun", "true") : nil, removeEmpty ? ("removeEmpty", "true") : nil,
        ]
        return try await Server.inSession { server in
            try await server.send(
                .post, [place, "import"], query: query.compactMap { $0 },
                body: .init(bytes: table, mediaType: "text/csv")
            ).decoded()
        }
    }

    /// The number of things that the table does not change, for people.
    static func text(unchanged count: Int) -> String { "\(count) \(count == 1 ? "is" : "are") as before." }
}
