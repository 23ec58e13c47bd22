import AdminMessages

/// What an entry of the audit log says beside who did what: a row for each name, and all of it as it is kept.
enum AuditDetails {
    /// More rows nobody reads in a list; the rest is there as it is kept.
    private static let most = 12

    static func html(of entry: AuditEntry) -> HTML {
        guard case .object(let members) = entry.details, !members.isEmpty else { return .empty }
        let all = rows(of: members)
        let shown: [HTML] = all.prefix(most).map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>" }
        let rest: HTML? = all.count > most ? "<p class=\"muted\">\(all.count - most) more</p>" : nil
        return """
            <dl class="pairs">\(shown)</dl>\(rest)
            <details><summary>As JSON<span class="unseen">, entry \(entry.sequence)</span></summary>\
            <code>\(text(entry.details))</code></details>
            """
    }

    /// What is inside of one is a row of its own: `Rights: role`.
    private static func rows(of members: [String: JSON]) -> [(name: String, value: HTML)] {
        members.sorted { $0.key < $1.key }.flatMap { name, value -> [(name: String, value: HTML)] in
            guard case .object(let inner) = value, !inner.isEmpty else {
                return [(words(name), shown(value, of: name))]
            }
            return inner.sorted { $0.key < $1.key }.map { ("\(words(name)): \($0.key)", shown($0.value, of: $0.key)) }
        }
    }

    private static func shown(_ value: JSON, of name: String) -> HTML {
        if let moment = AuditEntry.moment(value, of: name) { return Moment.exact(moment) }
        switch value {
        case .null: return "none"
        case .boolean(let truth): return truth ? "yes" : "no"
        case .integer(let number): return "\(number)"
        case .unsigned(let number): return "\(number)"
        case .string(let text): return text.isEmpty ? "<span class=\"muted\">empty</span>" : "\(text)"
        case .array(let items) where items.isEmpty: return "none"
        case .array(let items):
            let texts = items.compactMap(\.text)
            return texts.count == items.count ? "\(texts.joined(separator: ", "))" : "<code>\(text(value))</code>"
        case .real, .object: return "<code>\(text(value))</code>"
        }
    }

    /// `lowestTrust` is “Lowest trust” to people.
    static func words(_ name: String) -> String {
        var words = ""
        for letter in name {
            if letter.isUppercase, words.last?.isLowercase == true {
                words += " " + letter.lowercased()
            } else {
                words.append("-_".contains(letter) ? " " : letter)
            }
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func text(_ value: JSON) -> String {
        (try? AdminJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
