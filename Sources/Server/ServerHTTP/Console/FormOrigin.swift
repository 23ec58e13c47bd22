import Console
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// Whether a form came from a page of ours, sent by the person who saw it.
///
/// Two proofs, and each would do: the browser says that the page that sent it is of the same origin, and the form has a
/// token that only pages of this very session have. Somebody who signs in has no session yet: there the browser's word
/// stands alone, so that nobody is signed in as somebody else by a page of theirs.
enum FormOrigin {
    /// The token that the forms of a session carry: it follows from the session's own and does not tell it.
    static func token(ofSession token: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("martlet console form".utf8), using: SymmetricKey(data: Data(token.utf8)))
        return Hexadecimal.text(code)
    }

    /// The form without its token.
    static func judged(
        _ form: Form, _ request: Request, session: String?, isSignIn: Bool
    ) throws(HTTPProblem) -> Form {
        guard isOfOurs(request) else { throw foreign }
        if !isSignIn, let session {
            let tokens = form.fields.filter { $0.name == Form.tokenName }
            let expected = token(ofSession: session)
            guard tokens.count == 1, areEqualInConstantTime(tokens[0].value, expected) else { throw foreign }
        }
        return Form(fields: form.fields.filter { $0.name != Form.tokenName })
    }

    /// What the browser says of the page that sent it; older ones say only its origin, and whatever says nothing is none.
    private static func isOfOurs(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite] { return site == "same-origin" }
        guard let origin = request.headers[.origin], let authority = request.head.authority else { return false }
        return origin.lowercased() == "https://\(authority.lowercased())"
    }

    private static func areEqualInConstantTime(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static let foreign = HTTPProblem(
        .forbidden, "foreign-form", "This form did not come from a page of your session",
        detail: "Open the page again and repeat what you did; nothing was changed.")
}
