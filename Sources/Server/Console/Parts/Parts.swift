import AdminMessages
import Foundation

/// A word about a state; its color and its shape only repeat what it says.
struct Badge {
    enum Tone: String {
        case good
        case warn
        case bad
        case busy
        case plain
    }

    let tone: Tone
    let word: String

    init(_ tone: Tone, _ word: String) {
        self.tone = tone
        self.word = word
    }

    var html: HTML { "<span class=\"badge \(tone.rawValue)\">\(word)</span>" }
}

/// What stands where there is nothing yet: what it is, and what to do next.
enum EmptyState {
    static func html(_ title: String, _ hint: HTML) -> HTML {
        "<div class=\"empty\"><p class=\"lead\">\(title)</p><p>\(hint)</p></div>"
    }
}

/// A part of a page under a title of its own.
enum Panel {
    static func html(_ title: String, aside: HTML = .empty, _ content: HTML) -> HTML {
        """
        <section class="panel" data-part="\(title)"><div class="title"><h2>\(title)</h2>\(aside)</div>
        \(content)
        </section>
        """
    }
}

/// A list of facts: what, and what about it.
enum Facts {
    static func html(_ facts: [(String, HTML?)]) -> HTML {
        let items: [HTML] = facts.compactMap { name, value in
            value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" }
        }
        return "<dl class=\"facts\">\(items)</dl>"
    }

    /// The same, each with what it means.
    static func explained(_ facts: [(name: String, value: HTML?, meaning: HTML)]) -> HTML {
        html(facts.map { fact in (fact.name, fact.value.map { "\($0)<p class=\"hint\">\(fact.meaning)</p>" }) })
    }
}

/// A link that looks like what it leads to.
enum Link {
    static func html(_ text: String, _ parts: [String], query: [(String, String)] = []) -> HTML {
        "<a href=\"\(ConsolePath.text(parts, query: query))\">\(text)</a>"
    }

    /// One that is what to do next.
    static func button(_ text: String, _ parts: [String], query: [(String, String)] = []) -> HTML {
        "<a class=\"button\" href=\"\(ConsolePath.text(parts, query: query))\">\(text)</a>"
    }
}

/// A name that a machine reads, as it is, with a button that copies it where the browser can.
enum Code {
    static func html(_ text: String) -> HTML { "<code>\(text)</code>" }

    static func copied(_ text: String, what: String) -> HTML {
        """
        <span class="copied"><code>\(text)</code> <button type="button" class="quiet" data-copy="\(text)" hidden>Copy \
        <span class="unseen">\(what)</span></button></span>
        """
    }
}

/// Moments.
enum Moment {
    /// How long ago, with the moment itself for who wants to know.
    static func html(_ date: Date, now: Date) -> HTML {
        "<time datetime=\"\(AdminJSON.text(of: date))\" title=\"\(absolute(date))\">\(distance(date, now))</time>"
    }

    /// The moment itself.
    static func exact(_ date: Date) -> HTML {
        "<time datetime=\"\(AdminJSON.text(of: date))\">\(absolute(date))</time>"
    }

    static func absolute(_ date: Date) -> String {
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeZoneSeparator: .omitted)
        return date.formatted(style.year().month().day().time(includingFractionalSeconds: false)) + " UTC"
    }

    static func distance(_ date: Date, _ now: Date) -> String {
        let seconds = Int(now.timeIntervalSince(date).rounded())
        let (amount, unit) = amount(of: abs(seconds))
        guard amount > 0 else { return "just now" }
        let words = "\(amount) \(unit)\(amount == 1 ? "" : "s")"
        return seconds < 0 ? "in \(words)" : "\(words) ago"
    }

    private static func amount(of seconds: Int) -> (Int, String) {
        switch seconds {
        case ..<10: (0, "second")
        case ..<60: (seconds, "second")
        case ..<3_600: (seconds / 60, "minute")
        case ..<172_800: (seconds / 3_600, "hour")
        default: (seconds / 86_400, "day")
        }
    }
}
