/// A table of values; on a phone each row becomes a card whose cells bear the names of their columns.
///
/// The first column names the row.
struct Table {
    /// What the table is of, for those who hear it.
    let caption: String
    let columns: [String]
    let rows: [[HTML]]

    var html: HTML {
        let heads: [HTML] = columns.map { "<th scope=\"col\" role=\"columnheader\">\($0)</th>" }
        // What has many columns needs another shape sooner.
        let mark: HTML = columns.count > 4 ? " class=\"wide\"" : ""
        return """
            <table role="table"\(mark)><caption>\(caption)</caption>
            <thead role="rowgroup"><tr role="row">\(heads)</tr></thead>
            <tbody role="rowgroup">\(rows.map(row))</tbody></table>
            """
    }

    private func row(_ cells: [HTML]) -> HTML {
        var row: HTML = "<tr role=\"row\">"
        for (index, (column, cell)) in zip(columns, cells).enumerated() {
            row +=
                index == 0
                ? "<th scope=\"row\" role=\"rowheader\" data-label=\"\(column)\">\(cell)</th>"
                : "<td role=\"cell\" data-label=\"\(column)\"><div>\(cell)</div></td>"
        }
        return row + "</tr>"
    }
}

/// The way to the other pages of a list.
enum Pager {
    /// `next` is what the API calls the next page; the filters of the query stay.
    static func html(next: String?, in path: [String], _ call: ConsoleCall) -> HTML? {
        let filters = call.request.query.filter { !["cursor", Flash.parameter].contains($0.key) && !$0.value.isEmpty }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        guard next != nil || call.query("cursor") != nil else { return nil }
        let first: HTML? = call.query("cursor").map { _ in
            "<a href=\"\(ConsolePath.text(path, query: filters))\">First page</a>"
        }
        let following: HTML? = next.map {
            "<a rel=\"next\" href=\"\(ConsolePath.text(path, query: filters + [("cursor", $0)]))\">Next page</a>"
        }
        return "<nav class=\"pager\" aria-label=\"Pages\">\(first)\(following)</nav>"
    }
}
