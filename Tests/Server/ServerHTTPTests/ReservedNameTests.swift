import AdminMessages
import Console
import Foundation
import Management
import ServerHTTP
import Testing

/// A path that is spelled out wins over a thing of that name: nothing is called so.
@Suite struct ReservedNameTests {
    /// Where a path of the API has a name of its own in the place of a thing's.
    private struct Shadow: Hashable {
        /// Up to where the paths are one, such as `/groups`.
        let place: String
        let name: String
    }

    private static let reserved: Set<Shadow> = Set(
        [
            ("/groups", ReservedNames.ofGroups), ("/people", ReservedNames.ofPeople),
            ("/expected-devices", ReservedNames.ofExpectedDevices),
        ].flatMap { place, names in names.map { Shadow(place: place, name: $0) } })

    /// Every path whose beginning another one has with a parameter where this one has a word.
    private static func shadows(in paths: [String]) -> Set<Shadow> {
        let paths = paths.map { $0.split(separator: "/").map(String.init) }
        var found: Set<Shadow> = []
        for path in paths {
            for other in paths {
                guard let index = zip(path, other).enumerated().first(where: { $1.0 != $1.1 })?.offset else { continue }
                guard other[index].hasPrefix("{"), !path[index].hasPrefix("{") else { continue }
                found.insert(Shadow(place: "/" + other[..<index].joined(separator: "/"), name: path[index]))
            }
        }
        return found
    }

    @Test func whatIsFoundIsWhatWins() {
        let paths = ["/a/{a}", "/a/x", "/a/{a}/b", "/a/x/c", "/a", "/b/{b}/{c}", "/b/{b}/d", "/c"]
        #expect(
            Self.shadows(in: paths) == [Shadow(place: "/a", name: "x"), Shadow(place: "/b/{b}", name: "d")])
    }

    /// The table of routes is walked: a new path beside things with names is either reserved or lies elsewhere.
    @Test func everyNameThatARouteOwnsIsReserved() async throws {
        try await TestServer.run { server in
            let prefix = "/api/v1"
            let paths = server.server.routes.compactMap { route in
                route.split(separator: " ").last.map(String.init).flatMap { path in
                    path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
                }
            }
            try #require(paths.count > 90)
            #expect(Self.shadows(in: paths) == Self.reserved)
            #expect(Self.shadows(in: ConsolePages.addresses).isEmpty)
        }
    }

    /// However it is asked for: by its path, with an escape in it, in a table, or in a body.
    @Test func nothingIsCalledAsARouteIs() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                #expect(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
                for name in ReservedNames.ofGroups {
                    let refused = try await admin.send("POST", "/groups", Group(name: name))
                    #expect(refused.status == 422 && refused.text.contains("a path of its own"), "\(refused.text)")
                }
                let device = ExpectedDeviceRequest(group: "teachers", trustSerialNumber: true)
                let people = "/people/" + Self.escaped(ReservedNames.ofPeople[0])
                let expected = "/expected-devices/" + Self.escaped(ReservedNames.ofExpectedDevices[0])
                for answer in [
                    try await admin.send("PUT", people, PersonDetails()), try await admin.send("PUT", expected, device),
                    try await admin.send(
                        "POST", "/people/import",
                        body: Data("userName\nanna\n\(ReservedNames.ofPeople[0])\n".utf8)),
                    try await admin.send(
                        "POST", "/expected-devices/import?group=teachers&trustSerialNumber=true",
                        body: Data("SN-1\n\(ReservedNames.ofExpectedDevices[0])\n".utf8)),
                ] {
                    #expect(answer.status == 422 && answer.text.contains("a path of its own"), "\(answer.text)")
                }
                for place in ["/people", "/expected-devices"] {
                    #expect(try await admin.send("GET", place).text.contains(#""items":[]"#), "\(place)")
                }
            }
        }
    }

    /// What was called so before names were reserved goes on, and is reached with one letter escaped.
    @Test func whatWasCalledSoBeforeIsReachedByAnEscape() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await server.keepNamesFromBefore()
                for (place, name) in [("groups", "preview"), ("people", "import"), ("expected-devices", "import")] {
                    #expect(try await admin.send("GET", "/\(place)").text.contains("\"\(name)\""))
                    #expect(try await admin.send("GET", "/\(place)/\(name)").status == 405)
                    #expect(try await admin.send("GET", "/\(place)/\(Self.escaped(name))").status == 200)
                }
                for (place, name) in [("expected-devices", "import"), ("people", "import"), ("groups", "preview")] {
                    let gone = try await admin.send("DELETE", "/\(place)/\(Self.escaped(name))")
                    #expect(gone.status == 204, "\(gone.text)")
                }
            }
        }
    }

    /// The same name with its first letter escaped.
    private static func escaped(_ name: String) -> String {
        "%" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
    }
}
