package import DeviceMessages

/// `dev.martlet.configuration.login-message`: the text that this machine shows after a login.
package enum LoginMessageSystem: HeldSystem {
    /// The text, and the declaration that asks for it.
    package struct Message: Codable, Equatable, Sendable {
        package let declaration: String
        package let text: String

        package init(declaration: String, text: String) {
            self.declaration = declaration
            self.text = text
        }
    }

    package static let name = "login-message"
    package static let configurations = [LoginMessageConfiguration.type]
    /// While it judges: at most one message, that of the first configuration.
    package static let nothing: [Message] = []

    package static func serving(_ applied: Applied) -> Set<String> {
        Set([applied.systems[Self.self]].compactMap { $0?.declaration })
    }

    package static func judge(
        _ declaration: Declaration, in set: JudgedSet, _ desired: inout [Message]
    ) -> Judgment {
        guard let text = try? declaration.read(LoginMessageConfiguration.self).text else {
            return .invalid(.about(declaration, "Error.InvalidPayload"))
        }
        guard desired.isEmpty else {
            return .invalid(
                .because("Error.ConfigurationCannotBeApplied", "another configuration has the login message"))
        }
        desired.append(Message(declaration: declaration.identifier, text: text))
        return .valid(.unknownKeys(LoginMessageConfiguration.self, declaration))
    }

    package static func settle(
        _ desired: [Message], _ had: HadAssets, previous: Applied, in applied: inout Applied
    ) {
        applied.systems[Self.self] = desired.first
    }

    package static func within(_ held: Message, _ meant: Message) -> Message? {
        held.declaration == meant.declaration ? held : nil
    }
}
