import AdminMessages

/// What every page has around its content.
enum Shell {
    /// A step of the way to a page.
    struct Step: Sendable {
        let title: String
        let path: [String]

        init(_ title: String, _ path: [String]) {
            self.title = title
            self.path = path
        }
    }

    /// A page without navigation, for somebody who is not signed in or has to do something first.
    static func bare(_ title: String, _ content: HTML) -> HTML {
        document(
            title,
            """
            <main class="bare" id="content">
            <p class="brand">\(mark)Martlet</p>
            <h1>\(title)</h1>
            \(content)
            </main>
            """)
    }

    fileprivate static func full(
        _ title: String, in section: ConsoleSection?, trail: [Step], aside: HTML, live: LivePage?, _ call: ConsoleCall,
        _ content: HTML
    ) -> HTML {
        document(
            title, script: live.map { _ in ConsoleFile.liveScript },
            """
            <a class="skip" href="#content">Skip to content</a>
            <header class="top">
            <a class="brand" href="\(ConsolePages.root)">\(mark)Martlet</a>
            <div class="who"><a href="\(ConsolePath.text(["account"]))">\(call.session.name)</a>
            \(call.form(to: ConsolePath.text(["sign-out"]), "<button class=\"quiet\">Sign out</button>"))</div>
            <nav class="sections" aria-label="Sections"><ul>\(sections(section, call))</ul></nav>
            </header>
            <main id="content" tabindex="-1"\(live?.attributes)>
            \(trail.isEmpty ? nil : breadcrumbs(trail, title))
            <div class="title"><h1>\(title)</h1>\(live == nil ? aside : "<div data-part=\"State\">\(aside)</div>")</div>
            \(flash(call.request))
            \(content)
            </main>
            \(live == nil ? nil : "<p class=\"unseen\" id=\"live-word\" role=\"status\"></p>")
            """)
    }

    private static func document(_ title: String, script: ConsoleFile? = nil, _ body: HTML) -> HTML {
        let more: HTML? = script.map { "\n<script src=\"\($0.address)\" defer></script>" }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) · Martlet</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="\(ConsoleFile.styleSheet.address)">
            <script src="\(ConsoleFile.script.address)" defer></script>\(more)
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
    }

    /// A martlet: the heraldic swift that never lands.
    private static let mark: HTML = """
        <svg class="mark" viewBox="0 0 32 20" width="32" height="20" aria-hidden="true" focusable="false">\
        <path d="M1 4c6 0 10 2 13 6 4-5 9-8 17-9-4 3-6 6-8 9 3 1 5 2 7 4-4-1-7-1-10 0-3 3-7 4-11 3l4-3C9 13 4 10 1 4z"/></svg>
        """

    private static func sections(_ current: ConsoleSection?, _ call: ConsoleCall) -> [HTML] {
        ConsolePages.sections.filter { call.may($0.permission) }.map { section in
            let mark: HTML = section == current ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(ConsolePath.text(section.path))\"\(mark)>\(section.title)</a></li>"
        }
    }

    private static func breadcrumbs(_ trail: [Step], _ title: String) -> HTML {
        let steps: [HTML] = trail.map { "<li><a href=\"\(ConsolePath.text($0.path))\">\($0.title)</a></li>" }
        return """
            <nav class="trail" aria-label="Breadcrumbs"><ol>\(steps)<li aria-current="page">\(title)</li></ol></nav>
            """
    }

    private static func flash(_ request: ConsoleRequest) -> HTML? {
        guard request.method == .get, let flash = request.query[Flash.parameter].flatMap(Flash.init) else { return nil }
        return "<p class=\"flash\" role=\"status\">\(flash.sentence)</p>"
    }
}

extension ConsoleCall {
    /// A page with everything around it.
    ///
    /// `trail` leads to it from its section: `[Shell.Step("Apps", ["apps"])]`. `aside` stands beside the title, for what
    /// one does most often there.
    func page(
        _ title: String, in section: ConsoleSection?, trail: [Shell.Step] = [], aside: HTML = .empty, status: Int = 200,
        live: LivePage? = nil, _ content: HTML
    ) -> ConsoleAnswer {
        .page(
            Shell.full(title, in: section, trail: trail, aside: aside, live: live, self, content), status: status)
    }
}
