import Foundation
import ManagedApp

#if canImport(ManagedAppNetworking)
import AsyncHTTPClient
import ManagedAppNetworking
import NIOCore
import NIOFoundationCompat
#endif

// Compiled without any of our settings, for Linux; the other half is that of an app on iOS.

/// What the server answered in the place of an asset.
public struct AssetNotThere: Error {
    /// The status of the answer.
    public let status: Int
}

#if canImport(ManagedAppNetworking)
/// Downloads assets from the server that asks for the app's identity.
///
/// The rest of the app knows this type alone.
public struct AssetDownload: Sendable {
    private static let mostBytes = 1_048_576
    private let client: ManagedHTTPClient

    /// Downloads with a client, the app's own if none is given.
    public init(
        client: ManagedHTTPClient = ManagedHTTPClient(
            ManagedTLS(identity: "asset-server", trust: .only(["asset-authority"])))
    ) {
        self.client = client
    }

    /// The asset's bytes, one MiB at most.
    public func data(from url: URL) async throws -> Data {
        let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .seconds(30))
        guard response.status == .ok else { throw AssetNotThere(status: Int(response.status.code)) }
        return Data(buffer: try await response.body.collect(upTo: Self.mostBytes))
    }
}
#else
/// The same on iOS: the delegate answers the challenges.
public struct AssetDownload: Sendable {
    private let session = URLSession(configuration: .ephemeral, delegate: AssetServerDelegate(), delegateQueue: nil)

    /// Downloads with a session whose delegate has the identity.
    public init() {}

    /// The asset's bytes.
    public func data(from url: URL) async throws -> Data {
        let (data, response) = try await session.data(from: url)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw AssetNotThere(status: status) }
        return data
    }
}
#endif
