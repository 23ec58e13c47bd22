import AsyncHTTPClient
import Foundation
import ManagedApp
import ManagedAppNetworking
import NIOCore

/// A web site and who signs in there.
struct Site: Sendable {
    /// The identifier under which an administrator provides the password; documented in the README.
    static let password = "home-page"

    private let address: String
    private let userName: String
    private let client: ManagedHTTPClient

    /// Nil where no page is configured.
    init?(_ config: BrowserConfig) {
        guard let address = config.homePage else { return nil }
        self.address = address
        userName = config.userName ?? ""
        let trust: ServerTrust = config.homePageAuthority.map { .only([$0]) } ?? .system
        client = ManagedHTTPClient(ManagedTLS(trust: trust))
    }

    /// The page as text; signs in where the site asks for it.
    func page() async -> String {
        do {
            var response = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(30))
            if response.status == .unauthorized, asksForAPassword(response) {
                var request = HTTPClientRequest(url: address)
                // Looked up for this request alone, and gone with it.
                let password = try await ManagedAppPasswordsProvider().password(withIdentifier: Self.password)
                let credentials = Data("\(userName):\(password)".utf8).base64EncodedString()
                request.headers.add(name: "Authorization", value: "Basic \(credentials)")
                response = try await client.execute(request, timeout: .seconds(30))
            }
            guard response.status != .unauthorized else { return "(the site does not take this password)" }
            return String(buffer: try await response.body.collect(upTo: 1 << 20))
        } catch ManagedAppError.invalidIdentifier {
            return "(the site asks for something that the administrator has not provided)"
        } catch is UntrustedServer {
            return "(this is not the site that the administrator named)"
        } catch {
            return "(the site did not answer)"
        }
    }

    private func asksForAPassword(_ response: HTTPClientResponse) -> Bool {
        response.headers["WWW-Authenticate"].contains { $0.lowercased().hasPrefix("basic") }
    }
}
