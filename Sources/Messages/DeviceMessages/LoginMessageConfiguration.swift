package import InputBounds

/// `dev.martlet.configuration.login-message`: a text that the machine shows after a login at a terminal or over SSH.
///
/// It is Martlet's own type: Apple's protocol sets such a text by a profile. Only devices that announce it get it.
package struct LoginMessageConfiguration: DeclarationPayload {
    package static let type = "dev.martlet.configuration.login-message"
    package static let keys: Set = ["Text"]

    /// In bytes: a few screens of a terminal.
    package static let longestText = 4_096

    /// What is shown; it may have several lines.
    package var text: String

    package init(text: String) {
        self.text = text
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        text = try JSONFields(payload).string("Text", limit: Self.longestText)
        guard Self.isSuitable(text) else {
            throw InputRefusal("the key Text has nothing to read, or control characters")
        }
    }

    package var payload: JSONValue { .object(["Text": .string(text)]) }

    /// Whether a terminal shows the text as it stands; control characters, which a terminal obeys, are refused.
    package static func isSuitable(_ text: String) -> Bool {
        text.utf8.count <= longestText && text.contains { !$0.isWhitespace }
            && text.unicodeScalars.allSatisfy { scalar in
                scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control
            }
    }
}
