package import Foundation
import InputBounds

/// A request that the exchange wants sent.
package struct ACMEHTTPRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    package let method: Method
    package let url: String
    /// Signed; its media type is `contentType`.
    package let body: Data?

    package static let contentType = "application/jose+json"
}

/// The answer to one request.
package struct ACMEHTTPResponse: Sendable {
    package let status: Int
    /// By their names in lower case.
    package let headers: [String: String]
    package let body: Data

    /// Longer answers need not be read.
    package static let sizeLimit = 65_536

    package init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    func document() throws(ACMERefusal) -> JSONValue {
        let limits = InputLimits(bytes: Self.sizeLimit, depth: 8, objects: 1_024)
        guard let value = try? JSONValue(parsing: body, limits: limits), case .object = value else { throw .document }
        return value
    }
}

/// A challenge as its server describes it.
package struct ACMEChallenge: Sendable, Hashable {
    package static let deviceAttest = "device-attest-01"
    package static let http = "http-01"
    package static let dns = "dns-01"

    package let type: String
    package let url: String
    package let status: String
    package let token: String

    init?(_ document: JSONValue) {
        guard let type = document["type"]?.string, let url = try? document.url("url"),
            let status = document["status"]?.string, let token = document["token"]?.string,
            (1...512).contains(token.utf8.count)
        else { return nil }
        self.type = type
        self.url = url
        self.status = status
        self.token = token
    }

    /// What proves that the holder of the account's key answers (RFC 8555 §8.1).
    package func keyAuthorization(_ key: JSONWebKey) -> String { "\(token).\(key.thumbprint)" }
}

/// An order as its server describes it.
struct ACMEOrderDocument: Sendable {
    let status: String
    let authorizations: [String]
    let finalize: String
    let certificate: String?
    let problem: ACMEServerProblem

    init(_ document: JSONValue) throws(ACMERefusal) {
        guard let status = document["status"]?.string, let items = document["authorizations"]?.array, items.count <= 16
        else { throw .document }
        var authorizations: [String] = []
        for item in items { authorizations.append(try JSONValue.object(["url": item]).url("url")) }
        self.status = status
        self.authorizations = authorizations
        finalize = try document.url("finalize")
        certificate = document["certificate"] == nil ? nil : try document.url("certificate")
        problem = ACMEServerProblem(document["error"])
    }
}

/// An authorization as its server describes it.
struct ACMEAuthorizationDocument: Sendable {
    let status: String
    let identifier: String
    let challenges: [ACMEChallenge]
    let problem: ACMEServerProblem

    init(_ document: JSONValue) throws(ACMERefusal) {
        guard let status = document["status"]?.string, let identifier = document["identifier"]?["value"]?.string,
            let items = document["challenges"]?.array, items.count <= 16
        else { throw .document }
        self.status = status
        self.identifier = identifier
        // A challenge of a form that is not known is not ours to answer.
        challenges = items.compactMap(ACMEChallenge.init)
        problem = ACMEServerProblem(items.compactMap { $0["error"] }.first)
    }
}
