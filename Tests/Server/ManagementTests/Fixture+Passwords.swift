import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Passwords as devices get them: one of the secret `pin` for the app `com.example.app`.
extension Fixture {
    /// The asset of the password that a device's declarations name; nothing when they name none.
    func passwordAsset(of device: String) async throws -> JSONValue? {
        let management = try management
        let found = try #require(await management.device(device))
        let manifest = try await management.manifest(of: found)
        let document = try #require(manifest.declarations["configuration/martlet.app.com.example.app"])
        let configuration = try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
        guard let reference = configuration.appConfig?.passwords.first else { return nil }
        let asset = try #require(manifest.declarations["asset/\(reference.assetReference)"])
        return try JSONValue(parsing: asset, limits: .statusReport)
    }

    /// What a device gets by following its own declarations; nothing when they do not name the secret.
    func password(of device: String, signer: Data) async throws -> String? {
        guard let asset = try await passwordAsset(of: device) else { return nil }
        let url = try #require(asset["Payload"]?["Reference"]?["DataURL"]?.string)
        #expect(asset["Payload"]?["Reference"]?["Hash-SHA-256"] == nil)
        let version = try #require(url.split(separator: "/").last.flatMap { Int($0) })
        return try await password(of: device, signer: signer, version: version)
    }

    /// What a device gets that asks for a version by its address; nothing when it may not have that.
    func password(of device: String, signer: Data, version: Int) async throws -> String? {
        let asking = try await context(device, signer: signer)
        guard let document = try await management.credential(name: "pin", version: version, for: asking).value else {
            return nil
        }
        return try JSONValue(parsing: document.bytes, limits: .statusReport)["Password"]?.string
    }
}
