/// What a list is narrowed by: a form that is only read, so that its result has an address.
enum Filters {
    static func html(of path: [String], _ fields: [HTML]) -> HTML {
        """
        <form class="filters" method="get" action="\(ConsolePath.text(path))" role="search">
        \(fields)<p class="row"><button class="plain">Filter</button> <a href="\(ConsolePath.text(path))">Show all</a></p>
        </form>
        """
    }
}

extension Link {
    /// A link where there is such a page; else its text.
    static func ifThere(_ text: String, _ parts: [String]) -> HTML {
        let isThere = ConsolePages.all.contains { $0.method == .get && $0.parameters(of: parts) != nil }
        return isThere ? html(text, parts) : "\(text)"
    }
}

extension Link {
    /// A button to a page where there is one.
    static func ifPage(_ text: String, _ parts: [String]) -> HTML? {
        ConsolePages.all.contains { $0.method == .get && $0.parameters(of: parts) != nil } ? button(text, parts) : nil
    }
}
