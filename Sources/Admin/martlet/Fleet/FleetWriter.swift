import AdminMessages
import Foundation
import InputBounds

/// Writes a directory that says what a server has.
struct FleetWriter {
    private let root: URL

    init(_ path: String) throws(Failure) {
        root = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        let present = try? FileManager.default.contentsOfDirectory(atPath: root.path)
        guard present?.allSatisfy({ $0.hasPrefix(".") }) ?? !FileManager.default.fileExists(atPath: root.path) else {
            throw Failure(
                .refused, "the directory is not empty",
                advice: "Give one that is not there yet; Git compares it with the one you have.")
        }
    }

    /// Answers with the number of files.
    func write(from server: Server) async throws -> Int {
        try await write(ServerFleet.read(server)) { try await server.send(.get, $0).body }
    }

    /// Writes what a server's lists say, and what it has at a path where they do not say all.
    func write(_ fleet: ServerFleet, document: (_ path: [String]) async throws -> Data) async throws -> Int {
        var count = 0
        func put(_ path: String, _ bytes: Data) throws {
            try write(bytes, to: path)
            count += 1
        }
        func put(_ path: String, _ value: some Encodable) throws {
            try put(path, AdminJSON.encodePretty(value) + Data("\n".utf8))
        }
        try put("martlet.json", Manifest())
        try put(
            "groups.json",
            fleet.groups.map { group in
                GroupEntry(group, settings: fleet.settingAssignments.filter { $0.group == group.name })
            })
        let variables = SecretVariables(of: fleet.secrets)
        try put("secrets.json", fleet.secrets.map { Self.entry($0, in: variables) })
        try put(
            "expected-devices.json",
            fleet.expectedDevices.filter { $0.used == nil }.map(ExpectedDeviceEntry.init))
        for team in fleet.teams { try put("teams/\(team.fingerprint).pem", Self.pem(team.certificate)) }
        for setting in fleet.settings {
            try put("settings/\(setting.kind)/\(setting.name).json", setting.payload ?? JSON.object([:]))
        }
        for item in fleet.apps {
            let app = item.app.bundleIdentifier
            let folder = "apps/\(app)/"
            try put(folder + "app.json", AppEntry(name: item.app.name, teamIdentifier: item.app.teamIdentifier))
            try put(folder + "sources.json", item.sources.map(SourceEntry.init))
            try put(folder + "assignments.json", try Self.assignments(of: app, in: fleet))
            for one in item.specifications where one.package == nil {
                let body = try await document(["apps", app, "specifications", one.version])
                try put(folder + "specifications/\(one.version).json", body)
            }
            for one in item.configurations {
                let body = try await document(["apps", app, "configurations", one.name])
                try put(folder + "configurations/\(one.name).plist", try Self.readable(body))
            }
        }
        return count
    }

    private struct Manifest: Encodable {
        let format = 1
        let manages = FleetPart.allCases
    }

    private static func assignments(of app: String, in fleet: ServerFleet) throws -> [AssignmentEntry] {
        try fleet.assignments.filter { $0.app == app }.map { assignment in
            try AssignmentEntry(
                assignment, secrets: fleet.secretAssignments.filter { $0.app == app && $0.group == assignment.group })
        }
    }

    /// A secret with the variables in which its values are to be when the directory is applied.
    private static func entry(_ secret: Secret, in variables: SecretVariables) -> SecretEntry {
        let value = variables.value(of: secret.name)
        return SecretEntry(
            name: secret.name, kind: secret.kind, marker: secret.facts.marker,
            userNameFrom: secret.facts.hasUserName == true
                ? SecretReference(environment: value + SecretVariables.userName) : nil,
            from: SecretReference(environment: value),
            passwordFrom: secret.kind == .pkcs12
                ? SecretReference(environment: value + SecretVariables.password) : nil)
    }

    /// The binary form can be compared by nobody; the values are the same.
    private static func readable(_ bytes: Data) throws -> Data {
        guard try PropertyListScan.check(bytes, limits: .configuration) != .xml else { return bytes }
        return try PropertyListValue(parsing: bytes, limits: .configuration).xml()
    }

    private static func pem(_ certificate: String) -> Data {
        let lines = stride(from: 0, to: certificate.utf8.count, by: 64).map { start in
            certificate.dropFirst(start).prefix(64)
        }
        let body = lines.joined(separator: "\n")
        return Data("-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n".utf8)
    }

    private func write(_ bytes: Data, to path: String) throws(Failure) {
        let file = root.appending(path: path)
        // Names come from the server: none may lead out of the directory.
        guard
            path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty && $0.first != "." })
        else { throw Failure(.failed, "the server has a name that is none for a file") }
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw Failure(.failed, "\(Printable.line(path)) cannot be written: \(error.localizedDescription)")
        }
        try LocalFile.write(bytes, to: file.path, replacing: false)
    }
}
