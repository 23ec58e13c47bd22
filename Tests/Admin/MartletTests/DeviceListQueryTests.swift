import AdminMessages
import ArgumentParser
import Testing

@testable import martlet

/// What `martlet device list` asks the server for.
struct DeviceListQueryTests {
    private static let lists: [([String], String)] = [
        ([], "/devices"),
        (["--refusing"], "/devices?refusing=true"),
        (["--state", "enrolling"], "/devices?state=enrolling"),
        (["--state", "enrolled"], "/devices?state=enrolled"),
        (["--state", "checkedOut"], "/devices?state=checkedOut"),
        (["--state", "checkedout"], "/devices?state=checkedOut"),
        (["--state", "withdrawn"], "/devices?state=withdrawn"),
        (["--not-seen-for", "1d"], "/devices?notSeenFor=86400"),
        (["--not-seen-for", "12h"], "/devices?notSeenFor=43200"),
        (
            ["--not-seen-for", "90s", "--refusing", "--state", "enrolled"],
            "/devices?state=enrolled&refusing=true&notSeenFor=90"
        ),
    ]

    /// Red where an option is taken and the list is not narrowed by it.
    @Test(arguments: lists)
    func eachOptionNarrowsTheList(options: [String], request: String) throws {
        let command = try DeviceList.parse(options)
        #expect(RequestPath.text(["devices"], query: command.query) == request)
    }

    /// Red where a day without its unit was a second, so that every device was listed.
    @Test(arguments: [
        ["device", "list", "--not-seen-for", "1"], ["device", "wait", "d", "--timeout", "60"],
        ["webhook", "rotate", "w", "--overlap", "1"], ["token", "create", "t", "--role", "reader", "--valid", "90"],
    ])
    func aSpanWithoutItsUnitIsAnsweredWithWhatToWrite(words: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Martlet.parseAsRoot(words) }
        let text = Martlet.message(for: try #require(error))
        #expect(text.contains("30s, 5m, 12h or 7d"), "\(text)")
    }

    @Test(arguments: [["--state", "gone"], ["--not-seen-for", "yesterday"], ["--not-seen-for"]])
    func whatNoOptionMeansIsRefused(options: [String]) {
        #expect(throws: (any Error).self) { try DeviceList.parse(options) }
    }
}
