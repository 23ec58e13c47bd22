import Foundation
package import InputBounds

/// How a server wants a person to sign in before it gives out a profile: the value of `WWW-Authenticate`.
package struct SignInChallenge: Hashable, Sendable {
    /// On a page of the server's; what it leads to names the token.
    package static let web = "apple-as-web"

    package let method: String
    package let url: String

    package init(url: String) {
        method = Self.web
        self.url = url
    }

    /// Reads the value of the header.
    package init(parsing text: String) throws(InputRefusal) {
        guard text.utf8.count <= 8_192 else { throw InputRefusal("a demand to sign in is at most 8192 bytes") }
        guard text.lowercased().hasPrefix("bearer ") else {
            throw InputRefusal("a demand to sign in begins with Bearer")
        }
        var parameters: [String: String] = [:]
        var rest = text.dropFirst(7)
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].trimmingPrefix { $0 == " " || $0 == "," }.lowercased()
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                guard let end = rest.dropFirst().firstIndex(of: "\"") else {
                    throw InputRefusal("a demand to sign in closes its quotation marks")
                }
                parameters[name] = String(rest[rest.index(after: rest.startIndex)..<end])
                rest = rest[rest.index(after: end)...]
            } else {
                let end = rest.firstIndex { $0 == "," || $0 == " " } ?? rest.endIndex
                parameters[name] = String(rest[..<end])
                rest = rest[end...]
            }
        }
        guard let method = parameters["method"] else { throw InputRefusal("a demand to sign in names a method") }
        self.method = method
        url = parameters["url"] ?? ""
        guard method != Self.web || url.hasPrefix("https://") else {
            throw InputRefusal("a demand to sign in on a page names one by https")
        }
    }

    /// The value of the header.
    package var text: String { "Bearer method=\"\(method)\", url=\"\(url)\"" }
}

/// Where a sign-in on a page ends: a URL that no browser follows, with the token in it.
package struct SignInResult: Hashable, Sendable {
    package let token: String

    package init(token: String) { self.token = token }

    /// The scheme of the URL: a device listens for it.
    package static let scheme = "apple-remotemanagement-user-login"
    private static let prefix = scheme + "://authentication-results?"

    /// Reads the URL.
    package init(parsing url: String) throws(InputRefusal) {
        guard url.utf8.count <= 16_384, url.hasPrefix(Self.prefix) else {
            throw InputRefusal("the result of a sign-in has another address")
        }
        for pair in url.dropFirst(Self.prefix.count).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "access-token", let token = String(parts[1]).removingPercentEncoding,
                token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { continue }
            self.init(token: token)
            return
        }
        throw InputRefusal("the result of a sign-in holds an access token")
    }

    /// The URL.
    package var url: String {
        Self.prefix + "access-token=" + (token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
}
