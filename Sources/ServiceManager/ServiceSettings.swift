package import Configuration
import Foundation
import InputBounds

/// The settings file with which a service starts: the one that it is told of, or else its usual one, which may be missing.
package struct ServiceSettings: Sendable {
    /// Why a service must not start with its settings file, as a sentence for people.
    package struct Refusal: Error, Equatable {
        package let sentence: String
    }

    private let path: String
    private let isNamed: Bool
    private let known: Set<String>

    /// - Parameters:
    ///   - named: The path that the service is told of; nothing where it is told of none.
    ///   - usual: The path of its usual file.
    ///   - known: The members that the service reads.
    package init(named: String?, usual: String, known: Set<String>) {
        (path, isNamed, self.known) = (named ?? usual, named != nil, known)
    }

    /// What the file says.
    ///
    /// Throws a refusal that names the file where it is not one of settings, or is named and not there.
    package func read() async throws(Refusal) -> FileProvider<JSONSnapshot> {
        if isNamed || FileManager.default.fileExists(atPath: path) {
            let file = SettingsFile(at: path, known: known)
            if let sentence = file.refusal(of: FileManager.default.contents(atPath: path)) {
                throw Refusal(sentence: sentence)
            }
        }
        let place = InMemoryProvider(values: [
            "filePath": .init(stringLiteral: path), "allowMissing": .init(booleanLiteral: !isNamed),
        ])
        do {
            return try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
        } catch {
            throw Refusal(
                sentence: """
                    The settings file \(path) has a value that is no text, number, true, false or list of one of these.
                    """)
        }
    }
}
