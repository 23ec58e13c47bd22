import DeviceMessages
import InputBounds

extension SettingKind {
    /// A text that machines show after a login.
    package static let loginMessage = SettingKind(
        name: AssignedLoginMessage.kind, title: "Login message",
        purpose: "The machine shows this text after a login at a terminal or over SSH.",
        schema: AssignedLoginMessage.schema, combination: .highest, types: [LoginMessageConfiguration.type],
        isForOwnedDevices: true,
        judge: { payload, _ in
            do throws(AdminRefusal) {
                return .accepted(try AssignedLoginMessage(payload).facts)
            } catch {
                return .refused(error)
            }
        },
        declarations: { name, payload in
            guard let message = try? AssignedLoginMessage(payload) else { return nil }
            return SettingDeclarations(configurations: [
                SettingDeclarations.Configuration(
                    type: LoginMessageConfiguration.type,
                    identifier: SettingKey(kind: AssignedLoginMessage.kind, name: name).identifier(),
                    payload: LoginMessageConfiguration(text: message.text).payload.object ?? [:])
            ])
        })
}

/// The text of a setting, by the rule that the agent has, too (`LoginMessageConfiguration.isSuitable`).
struct AssignedLoginMessage: Sendable {
    static let kind = "login-message"
    static let schema: JSONValue = .object([
        "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "type": .string("object"),
        "properties": .object(["text": textSchema]), "required": .array([.string("text")]),
        "additionalProperties": .boolean(false),
    ])
    private static let textSchema: JSONValue = .object([
        "type": .string("string"), "title": .string("Text"),
        "description": .string("The lines that are shown, without control characters."),
        "minLength": .integer(1), "maxLength": .integer(Int64(LoginMessageConfiguration.longestText)),
    ])
    /// In characters: a line of a list.
    private static let longestSummary = 80

    let text: String

    /// Reads `{"text": "<lines>"}`.
    init(_ payload: JSONValue) throws(AdminRefusal) {
        guard let members = payload.object, Set(members.keys) == ["text"], let text = members["text"]?.string,
            LoginMessageConfiguration.isSuitable(text)
        else {
            throw .invalid(
                rule: """
                    A login message's payload has one member, “text”: of at most \
                    \(LoginMessageConfiguration.longestText) bytes, with something to read and without control \
                    characters.
                    """)
        }
        self.text = text
    }

    /// Its first line that has something to read.
    var facts: SettingFacts {
        let lines = text.split(whereSeparator: \.isNewline)
        let first = lines.first { line in line.contains { !$0.isWhitespace } } ?? ""
        return SettingFacts(summary: String(first.prefix(Self.longestSummary)))
    }
}
