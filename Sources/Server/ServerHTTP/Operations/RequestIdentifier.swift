import HTTPTypes

/// Names one request in its answer and in the log; of the server's own making, whatever a peer says.
enum RequestIdentifier {
    /// `X-Request-Id`.
    static let field = HTTPField.Name("X-Request-Id") ?? .via

    static func next() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
