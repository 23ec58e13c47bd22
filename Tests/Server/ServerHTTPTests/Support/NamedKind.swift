import AdminMessages
import Foundation
import InputBounds
import MadeRoots
import TestInputs
import Testing

/// One sort of thing that has a name.
struct NamedKind: Sendable {
    static let app = "org.swift.landmarks"

    /// Where the API lists all of them.
    let list: String
    /// The member of an entry of the list that has the name.
    let member: String
    /// Of what the names are that are worth trying.
    var alphabet = NamePairs.Alphabet.word
    /// What every name begins with.
    var beginning = ""
    /// Where one of them is in the API.
    let place: @Sendable (String) -> [String]
    /// Where the console lists all of them, if not where the API does.
    var listPage: String?
    /// Where the console shows one of them, if not where the API does.
    var page: (@Sendable (String) -> [String])?
    let set: @Sendable (AdminClient, String) async throws -> Answer

    /// The kinds whose names are one part of their own; what they need is made by `prepare`.
    static let simple: [NamedKind] = [
        NamedKind(
            list: "/groups", member: "name", place: { ["groups", $0] },
            set: {
                try await $0.send("POST", "/groups", Group(name: $1))
            }),
        NamedKind(
            list: "/people", member: "userName", alphabet: .any, place: { ["people", $0] },
            set: {
                try await $0.send("PUT", RequestPath.text(["people", $1]), PersonDetails(fullName: "Somebody"))
            }),
        NamedKind(
            list: "/secrets", member: "name", place: { ["secrets", $0] },
            set: {
                try await $0.send("PUT", RequestPath.text(["secrets", $1]), wifi)
            }),
        NamedKind(
            list: "/secret-assignments", member: "identifier", alphabet: .any,
            place: { ["secret-assignments", "teachers", app, "password", $0] },
            listPage: "/apps/\(app)/secrets", page: { _ in ["apps", app, "secrets"] },
            set: {
                let path = RequestPath.text(["secret-assignments", "teachers", app, "password", $1])
                return try await $0.send("PUT", path, SecretAssignmentRequest(secret: "wifi"))
            }),
        NamedKind(
            list: "/apps/\(app)/configurations", member: "name", place: { ["apps", app, "configurations", $0] },
            set: {
                let path = RequestPath.text(["apps", app, "configurations", $1])
                return try await $0.send("PUT", path, body: AdminClient.configuration(title: "one"))
            }),
        NamedKind(
            list: "/settings", member: "name", place: { ["settings", "root-certificate", $0] },
            set: {
                let path = RequestPath.text(["settings", "root-certificate", $1])
                return try await $0.send("PUT", path, MadeRoot.request(MadeRoot.shared.get()))
            }),
        NamedKind(
            list: "/administrators", member: "name", place: { ["administrators", $0] },
            set: {
                try await $0.send("POST", "/administrators", AdministratorRequest(name: $1, role: .reader))
            }),
        NamedKind(
            list: "/expected-devices", member: "serialNumber", alphabet: .visible, place: { ["expected-devices", $0] },
            set: {
                let wish = ExpectedDeviceRequest(group: "teachers", trustSerialNumber: true)
                return try await $0.send("PUT", RequestPath.text(["expected-devices", $1]), wish)
            }),
        NamedKind(
            list: "/webhooks", member: "name", place: { ["webhooks", $0] },
            set: {
                let wish = WebhookRequest(name: $1, url: "https://webhooks.invalid/a", events: ["secret.release"])
                return try await $0.send("POST", "/webhooks", wish)
            }),
    ]

    /// Apps by their bundle identifiers, and the versions for which one publishes something.
    static let ofApps: [NamedKind] = [
        NamedKind(
            list: "/apps", member: "bundleIdentifier", beginning: "com.example.", place: { ["apps", $0] },
            set: {
                let wish = App(bundleIdentifier: $1, name: "Landmarks")
                return try await $0.send("PUT", RequestPath.text(["apps", $1]), wish)
            }),
        NamedKind(
            list: "/apps/\(app)/specifications", member: "version", place: { ["apps", app, "specifications", $0] },
            listPage: "/apps/\(app)",
            set: {
                let body = Data(#"{"x-app":{"bundleIdentifier":"\#(app)"},"type":"object"}"#.utf8)
                let path = RequestPath.text(["apps", app, "specifications", $1])
                return try await $0.send("PUT", path, headers: ["Content-Type": "application/json"], body: body)
            }),
    ]

    private static var wifi: SecretRequest { .password(PasswordSecret(userName: "guest", password: "password")) }

    /// Makes what things with names belong to: an app that a group has, and a secret.
    static func prepare(_ admin: AdminClient) async throws {
        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
        _ = try await admin.send("PUT", "/secrets/wifi", wifi)
    }

    /// The names of all there are, a few on a page.
    func listed(_ admin: AdminClient) async throws -> [[UInt8]] {
        var names: [[UInt8]] = []
        var cursor: String?
        repeat {
            let query = [("limit", "7")] + (cursor.map { [("cursor", $0)] } ?? [])
            let answer = try await admin.send("GET", list + RequestPath.text([], query: query))
            try #require(answer.status == 200, "\(answer.text)")
            let page = try JSONValue(parsing: answer.body, limits: .adminBody)
            names += (page["items"]?.array ?? []).compactMap { $0[member]?.string }.map { Array($0.utf8) }
            cursor = page["next"]?.string
        } while cursor != nil
        return names
    }
}
