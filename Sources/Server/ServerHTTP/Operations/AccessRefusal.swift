/// Why somebody was not let do what they asked for as an administrator: what is counted, by the code of the answer.
package enum AccessRefusal: String, CaseIterable, Sendable {
    case notLoggedIn = "not-logged-in"
    case wrongNameOrPassword = "wrong-name-or-password"
    case throttled
    case passwordMustChange = "password-must-change"
    case wrongPassword = "wrong-password"
    case notAllowed = "not-allowed"
    /// By the organization's sign-in.
    case signIn = "sign-in"

    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
