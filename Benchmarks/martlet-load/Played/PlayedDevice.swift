import CryptographicMessages
import DeviceMessages
import Foundation

/// A device that this tool plays: who it is, and where its server is.
struct PlayedDevice: Sendable {
    /// What the device proves itself with.
    struct Identity: Sendable {
        let certificateDER: Data
        let key: SigningKey
    }

    let identifier: EnrollmentIdentifier
    let identity: Identity
    let pushMagic: String
    let topic: String
    let checkInURL: ServerURL
    let commandURL: ServerURL
    let wakeURL: ServerURL?

    /// The header that proves a message.
    func signature(of body: Data) throws -> String {
        try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
            .base64EncodedString()
    }

    func declarative(_ endpoint: DeclarativeEndpoint, data: Data? = nil) -> Data {
        CheckInMessage.declarativeManagement(
            DeclarativeManagementRequest(identifier: identifier, endpoint: endpoint, data: data)
        ).encoded()
    }

    func idle() -> Data {
        CommandReport(identifier: identifier, status: .idle).encoded()
    }

    func acknowledgement(of command: Command) -> Data {
        CommandReport(identifier: identifier, status: .acknowledged, commandUUID: command.uuid).encoded()
    }
}

/// An address taken apart.
struct ServerURL: Sendable, Hashable {
    let host: String
    let port: Int
    let path: String

    init(_ text: String) throws {
        guard let url = URLComponents(string: text), url.scheme == "https", let host = url.host, !host.isEmpty else {
            throw LoadFailure("an address of the server is no https URL")
        }
        self.host = host.trimmingCharacters(in: ["[", "]"])
        port = url.port ?? 443
        path =
            (url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath)
            + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    var text: String { "https://\(authority)\(path)" }

    /// Host and port as the `Host` header has them.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
