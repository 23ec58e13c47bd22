import Foundation
import Testing
import Waiting

/// An app that is installed with a dictionary for its user defaults, and opened as soon as it can be.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(90)))
struct FirstInstallTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["MARTLET_FIRST_INSTALLS"].flatMap(Int.init) ?? 2

    /// S1-CFG-09, S0-CFG-19: no race between an app's installation and its configuration.
    ///
    /// Each round installs the app anew with a dictionary of its own: by command in every other one, by an assignment
    /// with the delivery `defaults` in the others. While its program comes the agent is asked again and again to open
    /// the app, and as soon as it does, the app must have that dictionary in its first read. 1,000 rounds in `make soak`.
    ///
    /// Red where an app can be opened before it has its dictionary.
    @Test func anAppHasTheDictionaryItIsInstalledWithInItsFirstRead() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await developer.publish("1.0", program: Road.binary("PageViewer"))
            try await road.enroll()
            // The device knows whose packages it may install.
            try await road.synchronised()
            for round in 1...max(1, Self.rounds) {
                let address = "http://localhost:2/\(round)"
                let isByCommand = round.isMultiple(of: 2)
                async let first = Self.firstRead(of: developer.viewer)
                try await install(developer.viewer, with: address, isByCommand: isByCommand)
                let read = try await first
                #expect(read == "URL      \(address)", "round \(round), by command: \(isByCommand)")
                try await remove(developer.viewer, isByCommand: isByCommand)
            }
        }
    }
}

extension FirstInstallTests {
    private func install(_ app: RoadApp, with address: String, isByCommand: Bool) async throws {
        let entry = "<key>serverURL</key><string>\(address)</string>"
        guard isByCommand else {
            try await app.configure(dictionary: entry)
            try await app.road.martlet(
                "assign", "teachers", app.identifier, "--configuration", "default", "--delivery", "defaults")
            return
        }
        let file = app.road.home.appending(path: "installed-with.plist")
        try Data("<plist version=\"1.0\"><dict>\(entry)</dict></plist>".utf8).write(to: file)
        try await app.road.martlet(
            "device", "app", "install", app.road.udid, app.identifier, "--configuration", file.path, "--wait",
            Road.longest)
    }

    private func remove(_ app: RoadApp, isByCommand: Bool) async throws {
        if isByCommand {
            try await app.road.martlet(
                "device", "app", "remove", app.road.udid, app.identifier, "--wait", Road.longest)
        } else {
            try await app.road.martlet("unassign", "teachers", app.identifier)
        }
        try await eventually("its files are gone") { try app.road.managedApps().isEmpty }
    }

    /// What the app shows first, opened as soon as it can be: the address that it has read.
    private static func firstRead(of app: RoadApp) async throws -> String {
        try await eventually("the program is there") { () -> Bool in
            // Or is being unpacked, beside its place.
            let names = (try? app.road.managedApps()) ?? []
            return names.contains { $0.contains(app.identifier + "+") }
        }
        return try await eventually("\(app.identifier) is opened") { () -> String? in
            // It ends at once, as nobody types anything.
            let opened = try app.open()
            _ = try await opened.exit()
            try await opened.drained()
            return opened.output.first { $0.text.hasPrefix("URL ") }?.text
        }
    }
}
