import AdminMessages
import AppSpecification
import Foundation
import InputBounds

/// A configuration of an app, as somebody edits it: which one, since which version, and what the app says of it.
struct EditedConfiguration: Sendable {
    let app: String
    let name: String
    /// What is set now; nothing where there is no such configuration yet.
    let present: Version?
    let specification: AppSpecification?
    /// The extension that gets it; nothing for the app itself.
    let part: String?

    struct Version: Sendable {
        let seen: SeenVersion
        let value: PropertyListValue

        var number: Int { seen.number }
    }

    init(_ call: ConsoleCall, part: String?) async throws {
        app = call.parameter("app")
        name = call.parameter("name")
        present = try await Self.version(nil, of: app, name, call.door)
        let published = try await Self.specification(of: app, call.door)
        specification = published
        self.part = part.flatMap { published?.extensions[$0] == nil ? nil : $0 }
    }

    /// What its form is made of.
    var key: SpecifiedKey {
        (part.flatMap { specification?.extensions[$0] } ?? specification)?.configuration
            ?? SpecifiedKey("", .dictionary)
    }

    var path: [String] { ["apps", app, "configurations", name] }

    var trail: [Shell.Step] {
        [Shell.Step("Apps", ["apps"]), Shell.Step(app, ["apps", app])]
    }

    /// One version, the present one if none is named.
    static func version(
        _ number: Int?, of app: String, _ name: String, _ door: any AdminDoor
    ) async throws -> Version? {
        let path = ["apps", app, "configurations", name] + (number.map { ["versions", "\($0)"] } ?? [])
        guard let document = try await door.bytes(RequestPath.text(path)) else { return nil }
        guard let seen = SeenVersion(tag: document.entityTag) else { return nil }
        return Version(seen: seen, value: try PropertyListValue(parsing: document.bytes, limits: .configuration))
    }

    /// The newest that the app published; one that this server cannot read any more says nothing.
    static func specification(of app: String, _ door: any AdminDoor) async throws -> AppSpecification? {
        let all: Page<SpecificationSummary> = try await door.get(RequestPath.text(["apps", app, "specifications"]))
        guard let newest = all.items.first,
            let document = try await door.bytes(RequestPath.text(["apps", app, "specifications", newest.version]))
        else { return nil }
        return try? AppSpecification(parsing: document.bytes)
    }

    /// What the server says of it, and keeps nothing.
    func check(_ value: PropertyListValue, _ door: any AdminDoor) async throws -> ConfigurationCheck {
        let path = RequestPath.text(["apps", app, "configuration-check"], query: [("configuration", name)])
        let answer = try await door.send("POST", path, bytes: value.xml(), type: "application/xml")
        return try AdminJSON.decode(ConfigurationCheck.self, from: answer.body)
    }

    /// Sets it, if the version that was edited is still the present one.
    func save(
        _ value: PropertyListValue, since seen: SeenVersion?, isForced: Bool, _ door: any AdminDoor
    ) async throws {
        let path = RequestPath.text(path, query: isForced ? [("force", "true")] : [])
        let condition = seen.map { ["If-Match": $0.tag] } ?? ["If-None-Match": "*"]
        _ = try await door.send("PUT", path, bytes: value.xml(), type: "application/xml", headers: condition)
    }
}
