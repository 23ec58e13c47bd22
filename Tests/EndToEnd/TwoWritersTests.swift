import Foundation
import Testing

/// Two administrators change one thing: the second gets an error, and the first change stays.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct TwoWritersTests {
    @Test func whoComesLateIsToldWhoWasQuickerAndChangesNothing() async throws {
        try await Road.with { road in
            try await road.configure("one")
            let file = road.home.appending(path: "late.json")
            try Data(#"{"managedCollection": {"title": "late", "landmarks": [1001]}}"#.utf8).write(to: file)
            func set(_ version: String) async throws -> (status: Int32, text: String) {
                try await road.run(
                    "martlet",
                    ["configuration", "set", Road.app, "default", "--file", file.path, "--if-version", version])
            }
            try await road.configure("two")
            let late = try await set("1")
            #expect(late.status == 4 && late.text.contains("You changed it yourself, at 2"), "\(late.text)")
            #expect(late.text.contains("(configuration.set)"), "\(late.text)")
            #expect(try await road.martlet("configuration", "show", Road.app, "default").contains("two"))
            #expect(try await set("2").status == 0)
            // Red: that nothing changed was not said, and a revert to what is there made a version.
            let revert = ["configuration", "revert", Road.app, "default", "--to", "3"]
            for same in [try await set("3"), try await road.run("martlet", revert)] {
                #expect(same.status == 0 && same.text.contains("Version 3 of "), "\(same.text)")
                #expect(same.text.contains(", as before: nothing changes."), "\(same.text)")
            }

            try await road.martlet("group", "create", "ruled", "--rule", "os = linux")
            try await road.martlet("group", "rule", "set", "ruled", "os = ios", "--if-rule", "os = linux")
            let second = try await road.run(
                "martlet", ["group", "rule", "set", "ruled", "os = macos", "--if-rule", "os = linux"])
            #expect(second.status == 4 && second.text.contains("another rule now: os = ios"), "\(second.text)")
            let first = try await road.run(
                "martlet", ["group", "rule", "set", "ruled", "os = macos", "--if-rule", ""])
            #expect(first.status == 4 && first.text.contains("You changed it yourself"), "\(first.text)")
            #expect(try await road.martlet("group", "show", "ruled").contains("os = ios"))
            try await expectKept(road)
        }
    }

    /// Red: another rule, and another secret under the same identifier, took the place of what was there without a word.
    private func expectKept(_ road: Road) async throws {
        try await expect(4, "group rule set ruled 'os = macos'", road)
        #expect(try await road.martlet("group", "show", "ruled").contains("os = ios"))
        try await expect(0, "group rule set ruled 'os = ios'", road)
        try await expect(0, "group rule set ruled '(os  =  ios)'", road)
        try await expect(0, "group rule set ruled 'os = macos' --replace", road)
        #expect(try await road.martlet("group", "show", "ruled").contains("os = macos"))

        for name in ["wifi", "other"] { try await road.setPassword(name, "p") }
        try await expect(0, "assign teachers \(Road.app)", road)
        let place = ["teachers", Road.app, "--identifier", "network"]
        let line = "secret assign " + place.joined(separator: " ")
        func assigned() async throws -> String {
            try await road.run("martlet", ["secret", "assigned"] + place).text
        }
        for _ in 1...2 { try await expect(0, "\(line) --secret wifi", road) }
        let told = try await road.run("martlet", ["secret", "assign"] + place + ["--secret", "other"])
        #expect(told.status == 4 && told.text.contains("another secret under this identifier: wifi"), "\(told.text)")
        #expect(try await assigned().contains("the secret wifi"))
        try await expect(0, "\(line) --secret other --replace", road)
        #expect(try await assigned().contains("the secret other"))

        // Red: the second invitation replaced the first, so the password that Carl already had no longer let him in.
        try await expect(0, "person set carl --email carl@example.org", road)
        try await expect(0, "person invite carl --group teachers", road)
        try await expect(4, "person invite carl --group teachers", road)
        try await expect(0, "person invite carl --group teachers --replace", road)
    }

    /// What a show command wrote is what a change is held to, whatever the thing is.
    @Test func aChangeThatIsHeldToWhatWasSeenIsMadeOnceAndNotAfterAnother() async throws {
        try await Road.with { road in
            let app = Road.app
            for (text, body) in [
                ("people.csv", "userName\nanna\n"), ("specification.json", Self.specification),
                ("other.json", Self.specification.replacing("Theme", with: "Colour")),
            ] {
                try Data(body.utf8).write(to: road.home.appending(path: text))
            }
            try await road.configure("one")
            // How it is made, shown, changed in two ways, and taken away; each as it is typed.
            let things: [(make: String, show: String, change: [String], remove: String)] = [
                (
                    "app create com.example.other --name A", "app show com.example.other",
                    ["app create com.example.other --name B", "app create com.example.other --name C"],
                    "app delete com.example.other"
                ),
                (
                    "app source set \(app) --platform linux --installed",
                    "app source show \(app) --platform linux --origin installed",
                    [
                        "app source set \(app) --platform linux --installed --install optional",
                        "app source set \(app) --platform linux --installed --minimum-agent 2",
                    ], "app source remove \(app) --platform linux --origin installed"
                ),
                (
                    "app specification set \(app) specification.json --version 9",
                    "app specification show \(app) 9",
                    [
                        "app specification set \(app) other.json --version 9",
                        "app specification set \(app) specification.json --version 9",
                    ], "app specification remove \(app) 9"
                ),
                (
                    "assign teachers \(app)", "assignment show teachers \(app)",
                    ["assign teachers \(app) --priority 1", "assign teachers \(app) --priority 2"],
                    "unassign teachers \(app)"
                ),
                (
                    "device expect SN-1 --group teachers --trust-serial-number", "device expected SN-1",
                    [
                        "device expect SN-1 --group teachers --trust-serial-number --await-configuration",
                        "device expect SN-1 --group teachers --trust-serial-number",
                    ], "device unexpect SN-1"
                ),
            ]
            for thing in things { try await expectHeld(thing, road) }
            let unmade: [(prepare: String, show: String, change: String, remove: String)] = [
                ("group create other", "group show other", "group rule set other 'os = ios'", "group delete other"),
                (
                    "person set anna --email a@b.c", "person show anna", "person set anna --email d@e.f",
                    "person delete anna"
                ),
                (
                    "administrator create anna --role reader", "administrator show anna",
                    "administrator set anna --role auditor", "administrator remove anna"
                ),
            ]
            for (prepare, show, change, remove) in unmade {
                try await expect(0, prepare, road)
                try await expect(0, "\(show) --json > seen.json", road)
                try await expect(0, change, road)
                try await expect(4, "\(remove) --if-same seen.json", road)
                try await expect(0, "\(show) --json > seen.json", road)
                try await expect(0, "\(remove) --if-same seen.json", road)
            }
            try await expectVersions(road)
        }
    }

    private static let specification = """
        {"x-app": {"bundleIdentifier": "\(Road.app)"}, "properties": {"k": {"type": "string", "title": "Theme"}}}
        """

    private func expectHeld(
        _ thing: (make: String, show: String, change: [String], remove: String), _ road: Road
    ) async throws {
        let json = thing.show.contains("specification") ? "" : "--json"
        try await expect(0, "\(thing.make) --if-none", road)
        try await expect(4, "\(thing.make) --if-none", road)
        try await expect(0, "\(thing.show) \(json) > seen.json", road)
        try await expect(0, "\(thing.change[0]) --if-same seen.json", road)
        try await expect(4, "\(thing.change[1]) --if-same seen.json", road)
        try await expect(4, "\(thing.remove) --if-same seen.json", road)
        try await expect(0, "\(thing.show) \(json) > seen.json", road)
        try await expect(0, "cat seen.json | $MARTLET \(thing.remove) --if-same -", road)
        try await expect(4, "\(thing.change[0]) --if-same seen.json", road)
    }

    /// What has versions is held to the newest, and a rule to itself.
    private func expectVersions(_ road: Road) async throws {
        let app = Road.app
        try await road.configure("two")
        try await expect(4, "configuration revert \(app) default --to 1 --if-version 1", road)
        try await expect(0, "configuration revert \(app) default --to 1 --if-version 2", road)
        try await expect(4, "configuration delete \(app) default --if-version 2", road)
        try await expect(0, "configuration delete \(app) default --if-version 3", road)
        for _ in 1...2 { try await expect(0, "secret set wifi --password-stdin < people.csv", road) }
        try await expect(0, "assign teachers \(app)", road)
        let place = "teachers \(app) --identifier wifi"
        try await expect(0, "secret assign \(place) --secret wifi --if-none", road)
        try await expect(0, "secret assigned \(place) --json > seen.json", road)
        try await expect(0, "secret set other --password-stdin < people.csv", road)
        try await expect(0, "secret assign \(place) --secret other --if-same seen.json", road)
        try await expect(4, "secret unassign \(place) --if-same seen.json", road)
        try await expect(0, "secret assigned \(place) --json > seen.json", road)
        try await expect(0, "secret unassign \(place) --if-same seen.json", road)
        try await expect(4, "secret delete wifi --if-version 1", road)
        try await expect(0, "secret delete wifi --if-version 2", road)
        try await expect(0, "group create ruled --rule 'os = linux'", road)
        try await expect(4, "group rule remove ruled --if-rule 'os = ios'", road)
        try await expect(0, "group rule remove ruled --if-rule 'os = linux'", road)
    }

    private func expect(_ status: Int32, _ line: String, _ road: Road) async throws {
        let command = line.contains("$MARTLET") ? line : "$MARTLET \(line)"
        let text = try await road.shell(
            "MARTLET='\(Road.binary("martlet").path)'; { \(command); } 2> error.txt; echo \"status $?\"; cat error.txt")
        #expect(text.contains("status \(status)"), "\(line): \(text)")
    }
}
