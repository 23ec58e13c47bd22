import Crypto

/// A style sheet or a script of ours, whose address changes with its content: browsers keep it for as long as they like.
struct ConsoleFile: Sendable {
    static let styleSheet = ConsoleFile(
        PackageResources.console_css, name: "console.css", type: "text/css; charset=utf-8")
    static let script = ConsoleFile(
        PackageResources.console_js, name: "console.js", type: "text/javascript; charset=utf-8")
    static let liveScript = ConsoleFile(
        PackageResources.live_js, name: "live.js", type: "text/javascript; charset=utf-8")
    private static let all = [styleSheet, script, liveScript]

    let path: [String]
    let answer: ConsoleAnswer

    private init(_ content: [UInt8], name: String, type: String) {
        let digest = SHA256.hash(data: content).prefix(8).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        path = ["files", digest.joined(), name]
        answer = .file(content, type: type, isKept: true)
    }

    /// Where it is.
    var address: String { ConsolePath.text(path) }

    static func named(_ path: [String]) -> ConsoleFile? { all.first { $0.path == path } }
}
