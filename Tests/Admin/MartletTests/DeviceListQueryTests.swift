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
            ["--not-seen-for", "90", "--refusing", "--state", "enrolled"],
            "/devices?state=enrolled&refusing=true&notSeenFor=90"
        ),
    ]

    /// Red where an option is taken and the list is not narrowed by it.
    @Test(arguments: lists)
    func eachOptionNarrowsTheList(options: [String], request: String) throws {
        let command = try DeviceList.parse(options)
        #expect(RequestPath.text(["devices"], query: command.query) == request)
    }

    @Test(arguments: [["--state", "gone"], ["--not-seen-for", "yesterday"], ["--not-seen-for"]])
    func whatNoOptionMeansIsRefused(options: [String]) {
        #expect(throws: (any Error).self) { try DeviceList.parse(options) }
    }
}
