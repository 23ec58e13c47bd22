import Foundation
import Testing
import Waiting

/// One template, two people, two devices, with the real processes (A16).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct PersonalValueTests {
    /// S4-GOAL-02: each app gets its person's values; a change of one person reaches that person's app alone; a device
    /// that is nobody's gets nothing half filled in, and its page says why.
    @Test func oneTemplateGivesEachPersonTheirOwn() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await road.martlet("person", "set", "anna", "--email", "anna@example.com", "--department", "Forest")
            try Data("userName,email,fullName\nben,ben@example.com,\"Ben, the second\"\n".utf8)
                .write(to: road.home.appending(path: "people.csv"))
            let people = road.home.appending(path: "people.csv").path
            #expect(try await road.martlet("person", "import", people, "--dry-run").contains("Would add 1"))
            #expect(try await road.martlet("person", "import", people).contains("Added 1"))
            try await echo.configure(
                dictionary: """
                    <key>account</key><dict><key>user</key><string>${person.userName}</string>
                    <key>mail</key><string>&lt;${person.email}&gt;</string></dict>
                    <key>literal</key><string>$${person.email}</string>
                    """)
            try await echo.assign()
            let devices = [try await RoadDevice(1, on: road), try await RoadDevice(2, on: road)]
            try await road.martlet("device", "person", "set", devices[0].id, "anna")
            try await road.synchronised(devices[1].id)
            let page = try await road.martlet("device", "show", devices[1].id)
            #expect(page.contains("The configuration is withheld") && page.contains("${person.email}"), "\(page)")
            #expect(page.contains("it belongs to no person"))

            let apps = try devices.map { try $0.open("com.example.echo", "any") }
            try await expect(apps[0], "anna")
            let none = try await apps[1].line(after: 0, "the first element") {
                $0 == "nil" || $0.hasPrefix("value ")
            }
            #expect(none.text == "nil")
            try await road.martlet("device", "person", "set", devices[1].id, "ben")
            try await expect(apps[1], "ben")

            let marks = apps.map(\.mark)
            try await road.martlet("person", "set", "anna", "--email", "graf@example.com")
            try await expect(apps[0], "anna", mail: "graf@example.com")
            try await road.synchronised(devices[1].id)
            let heard = apps[1].output.dropFirst(marks[1]).filter { !$0.text.hasPrefix("again ") }
            #expect(heard.isEmpty, "another person's app hears nothing")

            // Taken from its person, the device keeps nothing of them.
            let mark = apps[0].mark
            try await road.martlet("device", "person", "remove", devices[0].id)
            _ = try await apps[0].line(after: mark, "no configuration") { $0 == "nil" }
        }
    }

    /// An unknown variable is refused when it is set, with its place and the nearest name.
    @Test func anUnknownVariableIsRefusedAtOnce() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            let list =
                "<plist version=\"1.0\"><dict><key>a</key><array><string>${person.mial}</string></array></dict></plist>"
            let text = try await echo.refused(Data(list.utf8))
            #expect(text.contains("a[0]") && text.contains("${person.email}"), "\(text)")
        }
    }

    /// A password of single devices is given to exactly those, on the record; the others' pages say why not.
    @Test func aPasswordOfOneDeviceIsGivenToThatOne() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            let devices = [try await RoadDevice(1, on: road), try await RoadDevice(2, on: road)]
            let file = road.home.appending(path: "passwords.csv")
            try Data("serialNumber,password\n\(devices[0].id),planted-own\n".utf8).write(to: file)
            let set = try await road.martlet("secret", "set-values", "wifi", file.path)
            #expect(set.contains("1 device has a value of its own"), "\(set)")
            try await road.martlet(
                "secret", "assign", "teachers", "com.example.echo", "--identifier", "login", "--secret", "wifi")
            for device in devices { try await road.synchronised(device.id) }
            let releases = try await road.martlet("audit", "list", "--action", "secret.release", "--json")
            #expect(releases.contains(devices[0].id))
            #expect(!releases.contains(devices[1].id))
            let page = try await road.martlet("device", "show", devices[1].id)
            #expect(page.contains("A secret is withheld"), "\(page)")
            let shown = try await road.martlet("secret", "show", "wifi")
            #expect(shown.contains("device values") && !shown.contains("planted"), "\(shown)")
        }
    }

    /// An app gets the password of its device's person, with a record of that; the device's own counts before it.
    @Test func aPasswordOfAPersonFollowsThePersonOfTheDevice() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.synchronised()
            let running = try app.follow()
            try await running.says("password", [])
            func set(_ table: String) async throws -> String {
                let file = road.home.appending(path: "passwords.csv")
                try Data(table.utf8).write(to: file)
                return try await road.martlet("secret", "set-values", "mail", file.path)
            }
            for person in ["anna", "ben"] {
                try await road.martlet("person", "set", person, "--email", "\(person)@example.com")
            }
            let people = try await set("person,password\nanna,planted-anna\nben,planted-ben\n")
            #expect(people.contains("2 people have values of their own"), "\(people)")
            try await app.give("mail", as: "account")
            try await road.martlet("device", "person", "set", road.udid, "anna")
            try await running.says("password", ["account=\(sum("planted-anna"))"])

            try await road.martlet("device", "person", "set", road.udid, "ben", "--replace")
            try await running.says("password", ["account=\(sum("planted-ben"))"])
            let explained = try await road.martlet("device", "explain", road.udid)
            #expect(explained.contains("a value of ben's own") && !explained.contains("planted"), "\(explained)")
            let releases = try await road.martlet("audit", "list", "--action", "secret.release", "--json")
            #expect(releases.contains(road.udid))

            _ = try await set("serialNumber,password\n\(road.udid),planted-device\n")
            try await running.says("password", ["account=\(sum("planted-device"))"])
            let shown = try await road.martlet("secret", "show", "mail")
            #expect(shown.contains("person values") && !shown.contains("planted"), "\(shown)")
        }
    }

    /// A device whose firmware has no serial number says the operator's; one that has none at all gets nothing half filled
    /// in, and its page says for want of what.
    @Test func theOperatorsSerialNumberIsTheDevices() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>number</key><string>no. ${device.serialNumber}</string>")
            try await echo.assign()
            let named = try await RoadDevice(1, on: road, "--serial-number", "LAB-0001")
            let app = try named.open("com.example.echo", "any")
            let wanted = #"value {"number":"no. LAB-0001"}"#
            _ = try await app.line(after: 0, wanted) { $0 == wanted }
            let page = try await road.martlet("device", "show", named.id)
            #expect(page.contains("LAB-0001"))

            // While an agent runs, a number that it does not know of is not taken silently.
            let beside = road.enrollment(code: "any", directory: named.directory) + ["--serial-number", "LAB-0002"]
            let refused = try await road.run("martlet-agent", beside)
            #expect(refused.status == 1 && refused.text.contains("Give it --serial-number when it starts"))
            let wrong = try await road.run("martlet-agent", ["status", "--serial-number", " "])
            #expect(wrong.status == 64 && wrong.text.contains("--serial-number must be 1 to 64"))

            guard !FileManager.default.fileExists(atPath: "/sys/class/dmi/id/product_serial") else { return }
            let nameless = try await RoadDevice(2, on: road)
            var other = ""
            try await eventually("its page says for want of what, but \(other)") { () -> Bool in
                other = try await road.martlet("device", "show", nameless.id)
                return other.contains("the device has no value for ${device.serialNumber}")
                    && other.contains("martlet-agent run --serial-number")
            }
        }
    }

    /// An attribute that an administrator sets reaches the app's configuration, and moves the device between groups by rule.
    @Test func anAttributeChangesTheConfigurationAndMovesTheDevice() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>room</key><string>${device.attributes.location}</string>")
            try await echo.assign()
            let device = try await RoadDevice(1, on: road)
            try await road.martlet("group", "create", "attic", "--rule", "device.attributes.location = Attic")
            try await road.synchronised(device.id)
            let withheld = try await road.martlet("device", "show", device.id)
            #expect(withheld.contains("the device has no value for ${device.attributes.location}"), "\(withheld)")
            let app = try device.open("com.example.echo", "any")
            for room in ["Room 12", "Attic"] {
                let mark = app.mark
                try await road.martlet("device", "attributes", "set", device.id, "location=\(room)")
                let wanted = #"value {"room":"\#(room)"}"#
                _ = try await app.line(after: mark, wanted) { $0 == wanted }
                let shown = try await road.martlet("device", "show", device.id)
                #expect(shown.contains("attributes.location"), "\(shown)")
                #expect(shown.contains("attic") == (room == "Attic"), "\(shown)")
            }
        }
    }

    private func expect(_ app: RunningProcess, _ name: String, mail: String? = nil) async throws {
        let mail = mail ?? "\(name)@example.com"
        let wanted =
            #"value {"account":{"mail":"<\#(mail)>","user":"\#(name)"},"literal":"${person.email}"}"#
        _ = try await app.line(after: 0, wanted) { $0 == wanted }
    }
}
