import AdminMessages
import Foundation

/// Taking people from a table: first what it would do, then doing it.
enum PeopleImportPage {
    static let routes = [
        ConsoleRoute(.get, "/new/people", serve: { call in page(call) }),
        ConsoleRoute(.post, "/new/people", serve: take),
    ]

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, would answer: PeopleImportAnswer? = nil
    ) -> ConsoleAnswer {
        let table = Field(
            "table", "Table", value: call.request.form["table"] ?? "",
            hint: """
                Comma-separated values with a heading: userName, and any of fullName, email, department and so on. What has \
                no column or an empty field stays as it is.
                """,
            isRequired: true)
        let removal = Field(
            "removeEmpty", "Empty fields remove what was known", value: call.request.form["removeEmpty"] ?? "")
        let plan: HTML? = answer.map { answer in
            """
            <p class="flash" role="status">\(answer.added) would be added, \(answer.changed) changed, \(answer.unchanged) \
            stay as they are.</p>
            """
        }
        return call.page(
            "Import people", in: .people, trail: PeoplePages.trail, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })\(plan)
            \(call.form(
                to: ConsolePath.text(["new", "people"]),
                """
                <div class="field" data-file="field-table" hidden><label for="file">File</label>\
                <input type="file" id="file"></div>
                \(table.area(rows: 12))\(removal.box)
                <div class="actions"><button class="plain" name="do" value="plan">Show what it would do</button>
                <button name="do" value="import">Import</button></div>
                """ as HTML))
            """)
    }

    private static func take(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let isPlan = call.request.form["do"] != "import"
        let query: [(String, String)?] = [
            isPlan ? ("dryRun", "true") : nil, call.request.form["removeEmpty"] != nil ? ("removeEmpty", "true") : nil,
        ]
        let bytes = Data((call.request.form["table"] ?? "").utf8)
        do {
            let answer = try await call.door.send(
                "POST", RequestPath.text(["people", "import"], query: query.compactMap { $0 }), bytes: bytes,
                type: "text/csv")
            let done = try AdminJSON.decode(PeopleImportAnswer.self, from: answer.body)
            return isPlan ? page(call, would: done) : .seeOther(["people"], .saved)
        } catch let refusal as AdminRefused where [400, 409, 413, 422].contains(refusal.status) {
            return page(call, refusal: refusal)
        }
    }
}
