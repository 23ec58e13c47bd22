/// One field of a form, with its name, its hint and its problem, which a screen reader reads together.
struct Field {
    let name: String
    let label: String
    var value = ""
    var hint: String?
    /// Why what was typed is not taken.
    var problem: String?
    var isRequired = false
    /// What the browser may fill in, such as `username`.
    var completion: String?

    init(
        _ name: String, _ label: String, value: String = "", hint: String? = nil, problem: String? = nil,
        isRequired: Bool = false, completion: String? = nil
    ) {
        self.name = name
        self.label = label
        self.value = value
        self.hint = hint
        self.problem = problem
        self.isRequired = isRequired
        self.completion = completion
    }

    /// One line of text.
    var line: HTML { input("text", value: value) }

    /// One line of hidden text, such as a password; it is never filled in again.
    var secret: HTML { input("password", value: nil) }

    /// A box to tick: it is sent, as 1, only while it is ticked.
    var box: HTML {
        let mark: HTML = value == "1" ? " checked" : ""
        return """
            <div class="option"><input type="checkbox" value="1" \(attributes)\(mark)>\
            <label for="\(identifier)">\(label)</label></div>\(hintText)\(problemText)
            """
    }

    /// Several lines.
    func area(rows: Int) -> HTML {
        labelled("<textarea \(attributes) rows=\"\(rows)\">\n\(value)</textarea>")
    }

    /// One of several; each with what people read.
    func choice(_ options: [(value: String, label: String)]) -> HTML {
        let options: [HTML] = options.map { option in
            let mark: HTML = option.value == value ? " selected" : ""
            return "<option value=\"\(option.value)\"\(mark)>\(option.label)</option>"
        }
        return labelled("<select \(attributes)>\(options)</select>")
    }

    private func input(_ type: String, value: String?) -> HTML {
        let filled: HTML? = value.map { " value=\"\($0)\"" }
        return labelled("<input type=\"\(type)\" \(attributes)\(filled)>")
    }

    private func labelled(_ control: HTML) -> HTML {
        """
        <div class="field"><label for="\(identifier)">\(label)</label>\(hintText)\(control)\(problemText)</div>
        """
    }

    private var hintText: HTML? { hint.map { "<p class=\"hint\" id=\"\(identifier)-hint\">\($0)</p>" } }

    private var problemText: HTML? {
        problem.map { "<p class=\"problem\" id=\"\(identifier)-problem\">\($0)</p>" }
    }

    private var identifier: String { "field-\(name)" }

    private var attributes: HTML {
        var attributes: HTML = "id=\"\(identifier)\" name=\"\(name)\""
        if isRequired { attributes += " required" }
        if let completion { attributes += " autocomplete=\"\(completion)\"" }
        if problem != nil { attributes += " aria-invalid=\"true\"" }
        let described = [hint.map { _ in "\(identifier)-hint" }, problem.map { _ in "\(identifier)-problem" }]
            .compactMap { $0 }.joined(separator: " ")
        if !described.isEmpty { attributes += " aria-describedby=\"\(described)\"" }
        return attributes
    }
}
