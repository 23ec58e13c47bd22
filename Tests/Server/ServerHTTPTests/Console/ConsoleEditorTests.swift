import AdminMessages
import Foundation
import InputBounds
import Testing

/// Configurations edited in the console, by one person and by two.
@Suite("Console: the editor of configurations")
struct ConsoleEditorTests {
    private static let app = "/console/apps/org.swift.landmarks"
    private static let edit = app + "/configurations/default/edit"
    private static let kept = "/apps/org.swift.landmarks/configurations/default"
    private static let specification = """
        {"type": "object", "x-app": {"bundleIdentifier": "org.swift.landmarks", "version": "1"}, "properties": {
          "title": {"type": "string", "title": "Headline", "maxLength": 5}, "port": {"type": "integer", "minimum": 1}}}
        """

    /// An app whose specification came through the console, with a configuration or without.
    private static func with(
        _ values: [String: PropertyListValue]?, _ test: (AdminClient, ConsoleBrowser) async throws -> Void
    ) async throws {
        try await ConsoleBrowser.signedIn { (admin, browser) async throws in
            let added = try await browser.post("/console/new/app", ["app": "org.swift.landmarks", "name": "Landmarks"])
            #expect(added.status == 303, "\(added.text)")
            let imported = try await browser.post(app + "/import", ["text": specification])
            #expect(imported.status == 303, "\(imported.text)")
            if let values {
                let set = try await admin.send("PUT", kept, body: PropertyListValue.dictionary(values).xml())
                #expect(set.status == 200)
            }
            try await test(admin, browser)
        }
    }

    private static func present(_ admin: AdminClient) async throws -> (value: PropertyListValue, tag: String?) {
        let answer = try await admin.send("GET", kept)
        return (try PropertyListValue(parsing: answer.body, limits: .configuration), answer.headers["etag"])
    }

    @Test("makes one by form: what is wrong is said at its key, nothing typed is lost, and only Save saves")
    func byForm() async throws {
        try await Self.with(nil) { (admin, browser) async throws in
            let empty = try await browser.get(Self.edit).text
            #expect(empty.contains("Headline") && empty.contains("name=\"/.port!\""))
            var fields = ["base": "", "view": "form", "!set": "1", "/.title!": "Parks", "/.port!": "eighty"]
            let typed = try await browser.post(Self.edit, fields).text
            #expect(typed.contains("There is a problem") && typed.contains("href=\"#c_2f_2eport\""))
            #expect(typed.contains("Enter a whole number") && typed.contains("value=\"eighty\""))
            fields["/.port!"] = "0"
            let refused = try await browser.post(Self.edit, fields).text
            #expect(refused.contains("id=\"c_2f_2eport-error\"") && refused.contains("Must be at least 1"))
            #expect(refused.contains("value=\"0\"") && refused.contains("value=\"Parks\""))
            fields["/.port!"] = "80"
            let review = try await browser.post(Self.edit, fields).text
            #expect(review.contains("Review default") && review.contains("<code>port</code>"))
            #expect(try await admin.send("GET", Self.kept).status == 404)
            fields["do"] = "save"
            let saved = try await browser.post(Self.edit, fields)
            #expect(saved.status == 303)
            #expect(saved.headers["location"]?.hasPrefix(Self.app + "/configurations/default") == true)
            let value = try await Self.present(admin).value
            #expect(value == .dictionary(["title": .string("Parks"), "port": .integer(80)]))
        }
    }

    @Test("shows the same as property list and as JSON, and takes it back from there")
    func asText() async throws {
        try await Self.with(["title": .string("Parks")]) { (admin, browser) async throws in
            #expect(
                try await browser.get(Self.edit + "?view=json").text.contains("&quot;title&quot;: &quot;Parks&quot;"))
            let xml = try await browser.get(Self.edit + "?view=xml").text
            #expect(xml.contains("&lt;string&gt;Parks&lt;/string&gt;"))
            let json = #"{"title": "Lakes", "unknown": [1, 2]}"#
            let form = try await browser.post(
                Self.edit, ["base": "1", "view": "json", "text": json, "do": "form"]
            ).text
            #expect(form.contains("value=\"Lakes\"") && form.contains("Keys that the specification does not name"))
            let broken = try await browser.post(Self.edit, ["base": "1", "view": "json", "text": "{", "do": "form"])
                .text
            #expect(broken.contains("There is a problem") && broken.contains("aria-invalid=\"true\""))
            let saved = try await browser.post(Self.edit, ["base": "1", "view": "json", "text": json, "do": "save"])
            #expect(saved.status == 303)
            let value = try await Self.present(admin).value
            #expect(value["unknown"] == .array([.integer(1), .integer(2)]))
        }
    }

    @Test("calls a warning one where a configuration is refused for something else")
    func warningBesideErrors() async throws {
        try await Self.with(["title": .string("Parks")]) { (_, browser) async throws in
            let json = #"{"title": "Mountains", "titel": "Lakes"}"#
            let fields = ["base": "1", "view": "json", "text": json, "came-from": "json", "do": "save"]
            let refused = try await browser.post(Self.edit, fields).text
            #expect(refused.contains("There is a problem"), "\(refused)")
            // Red where both stood there as if the app refused them.
            #expect(refused.components(separatedBy: "<span>Warning: ").count == 2, "\(refused)")
        }
    }

    @Test("tells the second of two what the first saved, and puts both together")
    func twoAtOnce() async throws {
        try await Self.with(["title": .string("a"), "port": .integer(1)]) { (admin, browser) async throws in
            var mine = ["base": "1", "view": "form", "!set": "1", "/.title!": "mine", "/.port!": "1"]
            let theirs = PropertyListValue.dictionary(["title": .string("a"), "port": .integer(2)])
            #expect(try await admin.send("PUT", Self.kept, body: theirs.xml()).status == 200)
            for wish in ["check", "save"] {
                mine["do"] = wish
                let told = try await browser.post(Self.edit, mine)
                #expect(told.status == 409)
                #expect(told.text.contains("admin saved version 2") && told.text.contains("&quot;mine&quot;"))
                #expect(try await Self.present(admin).value == theirs)
            }
            mine["do"] = "mine"
            let merged = try await browser.post(Self.edit, mine).text
            #expect(merged.contains("value=\"mine\"") && merged.contains("value=\"2\""))
            #expect(merged.contains("name=\"base\" value=\"2\""))
            (mine["base"], mine["/.port!"], mine["do"]) = ("2", "2", "save")
            #expect(try await browser.post(Self.edit, mine).status == 303)
            let both = PropertyListValue.dictionary(["title": .string("mine"), "port": .integer(2)])
            #expect(try await Self.present(admin).value == both)
        }
    }

    @Test("shows in what versions differ, and brings one back unless somebody else was faster")
    func history() async throws {
        try await Self.with(["title": .string("one")]) { (admin, browser) async throws in
            let second = PropertyListValue.dictionary(["title": .string("two")])
            #expect(try await admin.send("PUT", Self.kept, body: second.xml()).status == 200)
            let page = Self.app + "/configurations/default"
            #expect(try await browser.get(page).text.contains("Version 1"))
            let difference = try await browser.get(page + "/versions/2?against=1").text
            #expect(difference.contains("&quot;one&quot;") && difference.contains("&quot;two&quot;"))
            let late = try await browser.post(page + "/versions/1", ["base": "1"])
            #expect(late.status == 412)
            #expect(try await browser.post(page + "/versions/1", ["base": "2"]).status == 303)
            #expect(try await Self.present(admin).value == .dictionary(["title": .string("one")]))
        }
    }

    @Test("without a specification there is the property list alone")
    func withoutSpecification() async throws {
        try await Self.with(nil) { (admin, browser) async throws in
            #expect(try await admin.send("DELETE", "/apps/org.swift.landmarks/specifications/1").status == 204)
            let page = try await browser.get(Self.edit).text
            #expect(page.contains("<textarea id=\"c\" name=\"text\"") && !page.contains("value=\"form\""))
        }
    }

    @Test("what is no specification is refused with its text kept, what is one of another format is converted")
    func imports() async throws {
        try await Self.with(nil) { (admin, browser) async throws in
            let broken = try await browser.post(Self.app + "/import", ["text": "{\"type\": 7}"])
            #expect(broken.status == 422 && broken.text.contains("{&quot;type&quot;: 7}"))
            let appConfig = """
                <?xml version="1.0"?><managedAppConfiguration><version>2</version>\
                <bundleId>org.swift.landmarks</bundleId><dict><string keyName="server"/></dict></managedAppConfiguration>
                """
            let taken = try await browser.post(Self.app + "/import", ["text": appConfig, "version": "2"])
            #expect(taken.status == 303 || taken.status == 200, "\(taken.text)")
            let listed: Page<SpecificationSummary> = try await admin.get("/apps/org.swift.landmarks/specifications")
            #expect(listed.items.map(\.version) == ["2", "1"])
        }
    }

    @Test("a text of the wrong form is refused in the words of the app's developer, the expression comes last")
    func patternInWords() async throws {
        let specification = #"""
            {"type": "object", "x-app": {"bundleIdentifier": "org.swift.landmarks", "version": "2"}, "properties": {
              "site": {"type": "string", "title": "Site", "description": "Two letters and a number",
                "examples": ["DE7", "FR12"], "pattern": "^[A-Z]{2}[0-9]+$"},
              "bare": {"type": "string", "pattern": "^[a-z]+$"}}}
            """#
        try await Self.with(nil) { (_, browser) async throws in
            let imported = try await browser.post(Self.app + "/import", ["text": specification])
            #expect(imported.status == 303, "\(imported.text)")
            let fields = ["base": "", "view": "form", "!set": "1", "/.site!": "berlin", "/.bare!": "UPPER"]
            let page = try await browser.post(Self.edit, fields).text
            let words = "Site is not of the form that the app wants. Two letters and a number. For example DE7, FR12."
            let rule = "The rule: must match the pattern ^[A-Z]{2}[0-9]+$"
            #expect(page.components(separatedBy: words + " " + rule).count == 3, "at its key and at the top: \(page)")
            #expect(page.contains("Must match the pattern ^[a-z]+$"), "who said nothing is not spoken for: \(page)")
        }
    }
}
