import AsyncHTTPClient
import Foundation
import ManagedAppNetworking
import NIOCore

/// Downloads landmarks from a server that asks who is there.
struct LandmarkDownload: Sendable {
    /// The identifier under which an administrator provides the app's identity; documented in the README.
    static let identity = "asset-server"

    private static let mostBytes = 64 << 20

    let url: URL
    let trust: ServerTrust
    private let client: ManagedHTTPClient

    /// Prepares a download; nothing is looked up or sent yet.
    init(from url: URL, trust: ServerTrust) {
        self.url = url
        self.trust = trust
        client = ManagedHTTPClient(ManagedTLS(identity: Self.identity, trust: trust))
    }

    /// Fetches the landmarks, each time with the identity as it is then.
    func landmarks() async throws -> [Landmark] {
        let request = HTTPClientRequest(url: url.absoluteString)
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw Refused() }
        let body = try await response.body.collect(upTo: Self.mostBytes)
        return try JSONDecoder().decode([Landmark].self, from: Data(body.readableBytesView))
    }

    /// The server answered with something else than landmarks.
    struct Refused: Error {}
}

extension LandmarksManagedConfig {
    /// Which servers to believe: those that the named authorities vouch for, or, where none is named, the system's.
    var assetTrust: ServerTrust {
        guard assetAuthority != nil || assetCertificate != nil else { return .system }
        return .only(assetAuthority.map { [$0] } ?? [], certificates: assetCertificate.map { [$0.certificate] } ?? [])
    }
}
