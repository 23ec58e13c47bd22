import Foundation

/// Builds the path of a request; what an administrator typed cannot leave its place in it.
package enum RequestPath {
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    package static func text(_ parts: [String], query: [(String, String)] = []) -> String {
        let path = parts.map { "/" + escaped($0) }.joined()
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
    }

    /// A part of only dots would be taken for a step in the path, so its dots are escaped by hand.
    private static func escaped(_ part: String) -> String {
        if part == "." || part == ".." { return part.replacing(".", with: "%2E") }
        return part.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
