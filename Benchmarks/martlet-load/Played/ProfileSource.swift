import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOHTTP1

/// Where the devices' enrollment profiles come from.
protocol ProfileSource: Sendable {
    /// The URL of the profile of device number `index`.
    func profileURL(of index: Int, over http: HTTPClient) async throws -> String
}

/// Profiles at any MDM server, used in turn.
struct ListedProfiles: ProfileSource {
    let urls: [String]

    func profileURL(of index: Int, over http: HTTPClient) async throws -> String {
        guard !urls.isEmpty else { throw LoadFailure("the list of profiles is empty") }
        return urls[index % urls.count]
    }
}

/// Profiles of Martlet: one enrollment code for each device.
struct MartletProfiles: ProfileSource {
    /// The tool's own group and the beginning of its apps' names.
    static let ownGroup = "martlet-load"
    static let appPrefix = "dev.martlet.load.app"

    private let admin: AdminSession
    private let group: String

    /// Makes sure that the group is there; its own group gets `apps` configured apps, so that devices hold declarations.
    init(admin: AdminSession, trust: ServerTrust, group: String?, apps: Int, shown: Bool) async throws {
        self.admin = admin
        self.group = group ?? Self.ownGroup
        guard group == nil else { return }
        if shown { tell("assigning \(apps) apps to the group \(Self.ownGroup)") }
        try await trust.withClient { http in
            let name = AdminMessages.Group(name: Self.ownGroup)
            _ = try await admin.send(.POST, "/groups", body: AdminJSON.encode(name), over: http)
            for number in 0..<apps {
                let app = "\(Self.appPrefix)\(number)"
                let value = App(bundleIdentifier: app, name: "Load \(number)")
                _ = try await admin.send(.PUT, "/apps/\(app)", body: AdminJSON.encode(value), over: http)
                _ = try await admin.send(
                    .PUT, "/apps/\(app)/configurations/default", body: Self.configuration(number),
                    mediaType: "application/x-plist", over: http)
                let assignment = AssignmentRequest(configuration: "default")
                _ = try await admin.send(
                    .PUT, "/assignments/\(Self.ownGroup)/\(app)", body: AdminJSON.encode(assignment), over: http)
            }
        }
    }

    func profileURL(of index: Int, over http: HTTPClient) async throws -> String {
        let request = EnrollmentCodeRequest(group: group, validSeconds: 3_600)
        let answer = try await admin.send(.POST, "/enrollment-codes", body: AdminJSON.encode(request), over: http)
        return try AdminJSON.decode(EnrollmentCodeAnswer.self, from: answer).enrollmentURL
    }

    private static func configuration(_ number: Int) -> Data {
        Data("<plist version=\"1.0\"><dict><key>number</key><integer>\(number)</integer></dict></plist>".utf8)
    }
}
