import Foundation

/// An answer over `app-http.socket`.
struct HTTPReply {
    private let status: String
    private let type: String?
    private let body: Data
    let version: String?
    let isSecret: Bool
    private let closes: Bool

    /// A document; with a `version` a client can ask whether it is still the newest.
    init(_ body: Data, type: String, version: String? = nil, isSecret: Bool = false) {
        self.init(status: "200 OK", type: type, body: body, version: version, isSecret: isSecret)
    }

    /// There is no such thing for this app now.
    static func absent(version: String? = nil) -> HTTPReply { HTTPReply(status: "404 Not Found", version: version) }

    /// What the client has is the newest.
    static func same(version: String?) -> HTTPReply { HTTPReply(status: "304 Not Modified", version: version) }

    /// It should be there and cannot be had now.
    static let unavailable = HTTPReply(status: "503 Service Unavailable")

    /// The caller is no app.
    static let stranger = HTTPReply(status: "403 Forbidden", closes: true)

    /// The app is not trusted as far as its secrets ask.
    static let withheld = HTTPReply(status: "403 Forbidden")

    /// What was asked is not answered; then the connection ends.
    init(_ refusal: HTTPRefusal) {
        self.init(status: refusal.status, closes: true)
    }

    private init(
        status: String, type: String? = nil, body: Data = Data(), version: String? = nil, isSecret: Bool = false,
        closes: Bool = false
    ) {
        self.status = status
        self.type = type
        self.body = body
        self.version = version
        self.isSecret = isSecret
        self.closes = closes
    }

    /// Overwrites a secret that has been encoded.
    func wipe() {
        if isSecret { body.wipe() }
    }

    /// The bytes; nobody on the way may keep them.
    func encoded() -> Data {
        var head = "HTTP/1.1 \(status)\r\nCache-Control: no-store\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        if let version { head += "ETag: \"\(version)\"\r\n" }
        if status.hasPrefix("405") { head += "Allow: GET\r\n" }
        if closes { head += "Connection: close\r\n" }
        if !status.hasPrefix("304") { head += "Content-Length: \(body.count)\r\n" }
        return Data((head + "\r\n").utf8) + body
    }
}
