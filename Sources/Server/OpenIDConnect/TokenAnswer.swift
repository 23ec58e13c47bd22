import Foundation
import InputBounds

/// What the token endpoint answered.
struct TokenAnswer: Sendable {
    let identityToken: String
    /// For the user info endpoint alone.
    let accessToken: String?

    /// Whether an answer says that the client did not show who it is, so that the code is still good.
    static func isUnknownClient(status: UInt, body: Data) -> Bool {
        status == 401 || (status == 400 && error(in: body) == "invalid_client")
    }

    init(status: UInt, body: Data, hasSecret: Bool) throws(OpenIDRefusal) {
        guard status == 200 else {
            throw OpenIDRefusal.untaken(error: Self.error(in: body), status: status, hasSecret: hasSecret)
        }
        guard let answer = try? JSONValue(parsing: body, limits: IdentityToken.limits) else {
            throw OpenIDRefusal.malformed.because("the answer of the token endpoint is not JSON")
        }
        guard let token = answer["id_token"]?.string else {
            throw OpenIDRefusal.malformed.because(
                "the answer of the token endpoint has no “id_token”; allow this client the scope openid")
        }
        identityToken = token
        let isBearer = answer["token_type"]?.string.map { $0.lowercased() == "bearer" } ?? true
        accessToken = isBearer ? answer["access_token"]?.string.flatMap(Self.headerText) : nil
    }

    private static func error(in body: Data) -> String? {
        (try? JSONValue(parsing: body, limits: IdentityToken.limits))?["error"]?.string
    }

    /// A token as a field of a header may have it (RFC 6750 §2.1).
    private static func headerText(_ text: String) -> String? {
        NameRule(.visible, upTo: 16_384).takes(text) ? text : nil
    }
}
