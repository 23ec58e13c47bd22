import Console
import Crypto
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird

/// The page on which a person signs in to enroll a device; no script, nothing from elsewhere.
struct SignInPage {
    let account: String?
    var problem: String?

    func response(_ status: HTTPResponse.Status, retryAfter: Int? = nil) -> Response {
        var fields = Self.fields
        if let retryAfter { fields[.retryAfter] = "\(retryAfter)" }
        return PagePolicy.response(html, status: status, fields)
    }

    private static let fields: HTTPFields = {
        let digest = Data(SHA256.hash(data: Data(style.text.utf8))).base64EncodedString()
        // A sign-in that succeeds is answered with a redirection out of the browser, to the device itself.
        var fields = PagePolicy.fields(
            allowing: ["style-src 'sha256-\(digest)'"], formsTo: "'self' \(SignInResult.scheme):")
        // An agent can ask for account and password at the terminal.
        fields[.signIn] = "password"
        return fields
    }()

    private static let style: HTML = """
        body{font:1rem system-ui;max-width:22rem;margin:4rem auto;padding:0 1rem}
        input,button{font:inherit;display:block;width:100%;box-sizing:border-box;margin:.3rem 0 1rem;padding:.5rem}

        """

    private var html: HTML {
        let said: HTML? = problem.map { "<p role=\"alert\">\($0)</p>" }
        let name = String(String.UnicodeScalarView((account ?? "").unicodeScalars.prefix(256)))
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Sign in</title>
            <style>\(Self.style)</style></head><body><h1>Sign in</h1>
            \(said)
            <form method="post" action="\(AccountEnrollmentRoutes.pagePath)">
            <label>Account <input name="account" value="\(name)" autocomplete="username" required></label>
            <label>Password <input name="password" type="password" autocomplete="one-time-code" required></label>
            <button>Sign in</button></form></body></html>

            """
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
            fields[String(parts[0])] = FormText.text(parts[1].utf8, isForm: true)
        }
        guard let account = fields["account"], let password = fields["password"] else { throw Incomplete() }
        // People copy blanks along with what they were sent.
        self.account = account.trimmingCharacters(in: .whitespaces)
        self.password = password.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
