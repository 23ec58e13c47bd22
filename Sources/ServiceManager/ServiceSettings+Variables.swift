package import Configuration
import InputBounds

/// The settings that come from elsewhere than the file: from environment variables and from the command line.
extension ServiceSettings {
    /// An option that was given, with the member of the file whose rule holds for it.
    package struct GivenOption: Sendable {
        let name: String
        let member: String
        let text: String

        /// - Parameters:
        ///   - name: The option as it is written: `--port`.
        ///   - member: The name in the settings file: `port`.
        ///   - text: What was given.
        package init(_ name: String, _ member: String, _ text: String) {
            (self.name, self.member, self.text) = (name, member, text)
        }
    }

    /// Checks the settings that environment variables give, by the same rules as the file's.
    ///
    /// Throws a refusal that names the variables whose text cannot be used. A variable is refused also where an option says
    /// something else: the next start may be without the option.
    package func check(_ variables: some ConfigProvider) throws(Refusal) {
        let wrong = members.sorted { $0.key < $1.key }.compactMap { name, member -> String? in
            let key = AbsoluteConfigKey(ConfigKey(name))
            guard let found = try? variables.value(forKey: key, type: .string),
                case .string(let text)? = found.value?.content, let refusal = member.refusal(ofVariable: text)
            else { return nil }
            return "\(found.encodedKey) must be \(refusal)"
        }
        guard let sentence = Self.sentence("The environment", wrong) else { return }
        throw Refusal(sentence: sentence)
    }

    /// Checks options by the same rules; throws a refusal that names those whose text cannot be used.
    package func check(_ options: [GivenOption]) throws(Refusal) {
        let wrong = options.compactMap { option -> String? in
            guard let refusal = members[option.member]?.refusal(ofOption: option.text) else { return nil }
            return "\(option.name) must be \(refusal)"
        }
        guard let sentence = Self.sentence("The command line", wrong) else { return }
        throw Refusal(sentence: sentence)
    }

    /// Looks for variables that have the program's prefix and that it does not know.
    ///
    /// - Parameters:
    ///   - names: The names of all variables of the process.
    ///   - variables: Reads the variables of the settings.
    ///   - prefix: The beginning of all names that the program knows, such as `MARTLET_AGENT_`.
    ///   - further: What the program knows beside its settings, without the prefix.
    ///   - foreign: Beginnings of names, with the prefix, that other programs know.
    /// - Returns: The names that are near none, in their order.
    /// - Throws: A refusal that names those that are nearly a known name: they would have no effect.
    package func checkNames(
        _ names: some Sequence<String>, readBy variables: some ConfigProvider, prefix: String, further: Set<String>,
        foreign: [String] = []
    ) throws(Refusal) -> [String] {
        let settings = members.keys.compactMap { name -> String? in
            let key = AbsoluteConfigKey(ConfigKey(name))
            guard let found = try? variables.value(forKey: key, type: .string) else { return nil }
            return String(found.encodedKey.dropFirst(prefix.count))
        }
        let known = VariableNames(prefix: prefix, known: further.union(settings), foreign: foreign)
        let (refusal, unknown) = known.judge(names)
        if let refusal { throw Refusal(sentence: refusal) }
        return unknown
    }
}
