import AsyncHTTPClient
import Foundation
import ManagedApp
import ManagedAppNetworking
import ManagedAppSpecification
import NIOCore

/// An app that its developer licenses to organizations; the Return key asks for the license again.
@main
struct LicensingApp {
    static func main() async throws {
        try PublishedSpecification.emitIfAsked(try LicensingConfig.specification)
        let (reasons, again) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let current = Current()
        Task {
            for await config in await ManagedAppConfigurationProvider().configurations(LicensingConfig.self) {
                await current.set(config)
                again.yield()
            }
        }
        Thread.detachNewThread {
            while readLine() != nil { again.yield() }
        }
        for await _ in reasons {
            FileHandle.standardOutput.write(Data((await current.license() + "\n").utf8))
        }
    }
}

/// The configuration as it is now.
actor Current {
    private var config: LicensingConfig?

    func set(_ config: LicensingConfig?) {
        self.config = config
    }

    func license() async -> String {
        guard let config, let server = config.licenseServer else { return "(no license server is configured)" }
        return await LicenseRequest(server: server, config).answer()
    }
}

/// Asks the license server: with the license key where the administrator has provided one, otherwise with a token, the
/// device's own before the organization's.
struct LicenseRequest {
    /// The identifier under which an administrator provides the license key, an identity; documented in the README.
    static let key = "license"

    /// The identifier under which an administrator provides a device's own license token, a password.
    static let deviceToken = "license-token"

    private let server: String
    private let token: String?
    private let trust: ServerTrust

    init(server: String, _ config: LicensingConfig) {
        self.server = server
        token = config.licenseToken
        trust = config.licenseAuthority.map { .only([$0]) } ?? .system
    }

    /// What the server says.
    func answer() async -> String {
        do {
            return try await answer(identity: Self.key, token: nil)
        } catch ManagedAppError.invalidIdentifier {
            // There is no license key, and nothing was sent.
            return await answerToToken()
        } catch {
            return "(the license server did not answer)"
        }
    }

    private func answerToToken() async -> String {
        let own: String?
        do {
            own = try await ManagedAppPasswordsProvider().password(withIdentifier: Self.deviceToken)
        } catch .invalidIdentifier {
            own = nil
        } catch {
            return "(the license token cannot be had now)"
        }
        guard let token = own ?? token else { return "(the administrator has provided neither license key nor token)" }
        return await (try? answer(identity: nil, token: token)) ?? "(the license server did not answer)"
    }

    private func answer(identity: String?, token: String?) async throws -> String {
        let client = ManagedHTTPClient(ManagedTLS(identity: identity, trust: trust))
        var request = HTTPClientRequest(url: server)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await client.execute(request, timeout: .seconds(30))
        return String(buffer: try await response.body.collect(upTo: 65_536))
    }
}
