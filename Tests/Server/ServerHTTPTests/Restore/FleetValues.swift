import Foundation
import InputBounds
import Management
import Testing

/// What administrators have the devices of a few groups be given: each change is made on the server and in this model.
///
/// A group has an app of its own, with a configuration and a password, and the app of the next group, with its
/// configuration alone.
struct FleetValues: Sendable {
    static let groups = 4

    private var configurations: [String]
    private var passwords: [String]
    /// Whether a group is given the next group's app.
    private var hasNext: [Bool]
    private var places: [String: Int] = [:]

    init() {
        configurations = (0..<Self.groups).map { "first configuration \($0)" }
        passwords = (0..<Self.groups).map { "first password \($0)" }
        hasNext = Array(repeating: true, count: Self.groups)
    }

    static func group(_ number: Int) -> String { "group-\(number % groups)" }
    static func app(_ number: Int) -> String { "com.example.app\(number % groups)" }
    private static func secret(_ number: Int) -> String { "secret-\(number)" }

    /// What a device of a group has when it has everything; nothing for a device that is in none.
    func holding(of device: String) -> KeepingDevice.Holding? {
        guard let place = places[device] else { return nil }
        var holding = KeepingDevice.Holding()
        holding.configurations[Self.app(place)] = configurations[place]
        holding.passwords[Self.app(place)] = passwords[place]
        let next = (place + 1) % Self.groups
        if hasNext[place] { holding.configurations[Self.app(next)] = configurations[next] }
        return holding
    }

    /// A device enrolled into a group.
    mutating func place(_ device: KeepingDevice) {
        places[device.id] = (0..<Self.groups).first { Self.group($0) == device.group }
    }

    // MARK: Administrators

    /// Makes everything, and gives it to the groups.
    mutating func furnish(_ server: TestServer) async throws {
        let management = server.management
        for number in 0..<Self.groups {
            _ = try #require(await management.createGroup(named: Self.group(number), author: "admin").value)
            let app = App(bundleIdentifier: Self.app(number), name: "App \(number)", teamIdentifier: "TEAM")
            _ = try #require(await management.putApp(app, author: "admin").value)
            try await configure(number, configurations[number], on: server)
            _ = try await setPassword(number, passwords[number], on: server)
        }
        for number in 0..<Self.groups {
            for app in [number, number + 1] { try await assign(Self.app(app), to: Self.group(number), server) }
            let slot = SecretSlot(
                group: Self.group(number), app: Self.app(number), kind: .password, identifier: "login")
            _ = try #require(await management.assignSecret(Self.secret(number), to: slot, author: "admin").value)
        }
    }

    mutating func configure(_ app: Int, _ value: String, on server: TestServer) async throws {
        let bytes = PropertyListValue.dictionary(["value": .string(value)]).xml()
        _ = try #require(
            await server.management.putConfiguration(
                app: Self.app(app), name: "main", bytes: bytes, expected: .any, author: "admin"
            ).value)
        configurations[app] = value
    }

    /// Answers the number of the version that the value has.
    mutating func setPassword(_ number: Int, _ value: String, on server: TestServer) async throws -> Int {
        let password = SecretValue.password(userName: "played", password: value)
        let secret = try #require(
            await server.management.setSecret(Self.secret(number), to: password, author: "admin").value)
        passwords[number] = value
        return secret.current.number
    }

    /// Takes the next group's app from a group, or gives it back.
    mutating func toggleNext(of group: Int, on server: TestServer) async throws {
        if hasNext[group] {
            let refusal = try await server.management.unassign(
                app: Self.app(group + 1), from: Self.group(group), author: "admin")
            #expect(refusal == nil)
        } else {
            try await assign(Self.app(group + 1), to: Self.group(group), server)
        }
        hasNext[group].toggle()
    }

    /// Puts a device into the next group, and takes it from its own.
    mutating func move(_ device: String, on server: TestServer) async throws {
        let known = places[device]
        let place = try #require(known)
        let next = (place + 1) % Self.groups
        _ = try #require(
            await server.management.addDevice(device, toGroup: Self.group(next), author: "admin").value)
        let refusal = try await server.management.removeDevice(
            device, fromGroup: Self.group(place), author: "admin")
        #expect(refusal == nil)
        places[device] = next
    }

    private func assign(_ app: String, to group: String, _ server: TestServer) async throws {
        _ = try #require(
            await server.management.assign(app: app, configuration: "main", to: group, author: "admin").value)
    }
}
