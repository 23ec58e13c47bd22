/// What is wrong on a page, at its top, with links to the fields.
enum ErrorSummary {
    struct Line {
        let id: String
        let text: String

        init(_ state: EditorState, _ error: FormError) {
            id = error.place.id
            text = (state.name(of: error.place).map { "\($0): " } ?? "") + error.message
        }
    }

    static func html(_ lines: [Line]) -> HTML {
        let items: [HTML] = lines.map { "<li><a href=\"#\($0.id)\">\($0.text)</a></li>" }
        return """
            <div class="alert" role="alert" aria-labelledby="error-summary" tabindex="-1">\
            <h2 id="error-summary">There is a problem</h2><ul>\(items)</ul></div>
            """
    }
}
