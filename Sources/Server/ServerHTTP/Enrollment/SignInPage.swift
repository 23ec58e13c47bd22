import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The page on which a person signs in to enrol a device; no script, nothing from elsewhere.
struct SignInPage {
    let account: String?
    var problem: String?

    func response(_ status: HTTPResponse.Status, retryAfter: Int? = nil) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            // An agent can ask for account and password at the terminal.
            .signIn: "password",
        ]
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>Sign in</title>
        <style>body{font:1rem system-ui;max-width:22rem;margin:4rem auto;padding:0 1rem}
        input,button{font:inherit;display:block;width:100%;box-sizing:border-box;margin:.3rem 0 1rem;padding:.5rem}
        </style></head><body><h1>Sign in</h1>
        \(problem.map { "<p role=\"alert\">\(Self.escaped($0))</p>" } ?? "")
        <form method="post" action="\(AccountEnrollmentRoutes.pagePath)">
        <label>Account <input name="account" value="\(Self.escaped(account ?? ""))" autocomplete="username" required></label>
        <label>Password <input name="password" type="password" autocomplete="one-time-code" required></label>
        <button>Sign in</button></form></body></html>

        """
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.prefix(256) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}

/// What a person typed on the page.
struct SignInForm {
    /// The form has no account or no password, or one with a NUL in it.
    struct Incomplete: Error {}

    let account: String
    let password: String

    init(parsing body: Data) throws(Incomplete) {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&").prefix(16) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            fields[String(parts[0])] = parts[1].replacing("+", with: " ").removingPercentEncoding
        }
        guard let account = fields["account"], let password = fields["password"], !account.utf8.contains(0),
            !password.utf8.contains(0)
        else { throw Incomplete() }
        // People copy blanks along with what they were sent.
        self.account = account.trimmingCharacters(in: .whitespaces)
        self.password = password.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
