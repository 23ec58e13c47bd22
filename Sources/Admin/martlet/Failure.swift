package import AdminMessages

/// With which status the tool ends when it did not do what it was asked.
///
/// Scripts rely on the numbers; wrong usage is 64, ArgumentParser's own.
package enum EndStatus: Int32, Sendable {
    case failed = 1
    case notFound = 3
    case refused = 4
    case notLoggedIn = 5
    case unreachable = 6
}

/// Why the tool did not do what it was asked, and what to do next.
package struct Failure: Error, Sendable, Equatable {
    package let status: EndStatus
    package let reason: String
    package let advice: String?

    package init(_ status: EndStatus, _ reason: String, advice: String? = nil) {
        self.status = status
        self.reason = reason
        self.advice = advice
    }

    /// What the server's refusal means to the administrator.
    package init(problem: Problem?, status: Int) {
        let reason = Self.sentence(problem, status: status)
        switch status {
        case 401:
            self.init(.notLoggedIn, reason, advice: "Log in again: martlet login")
        case 404:
            self.init(.notFound, reason, advice: "The list commands show what there is.")
        case 412:
            self.init(
                .refused, reason, advice: "Someone changed it meanwhile. Look at it with show, then set it again.")
        case 429, 502, 503, 504:
            self.init(.unreachable, reason, advice: "Try again in a moment.")
        case 400..<500:
            self.init(.refused, reason)
        default:
            self.init(.failed, reason, advice: "The server's log says more.")
        }
    }

    /// The whole text for the terminal.
    package var text: String {
        let reason = Printable.line(reason)
        guard let advice else { return "martlet: \(reason)" }
        return "martlet: \(reason)\n\(advice)"
    }

    private static func sentence(_ problem: Problem?, status: Int) -> String {
        guard let problem else { return "the server answered with status \(status)" }
        guard let detail = problem.detail, detail != problem.title else { return problem.title }
        return "\(problem.title): \(detail)"
    }
}
