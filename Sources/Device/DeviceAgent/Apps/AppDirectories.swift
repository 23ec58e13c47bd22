import Foundation

/// Where the agent looks for apps that it did not install, and what it finds there that cannot be used as one.
package struct AppDirectories: Codable, Sendable, Equatable {
    /// The directories, for people to read.
    package let directories: [String]

    /// What cannot be used, `UnusableApp.most` of them at most.
    package let unusable: [UnusableApp]

    package init(_ directories: [String], unusable: [UnusableApp] = []) {
        // What is listed goes in one answer.
        self.directories = directories.prefix(UnusableApp.most).map {
            UnusableApp.readable(URL(fileURLWithPath: $0).standardizedFileURL.path)
        }
        self.unusable = unusable
    }

    /// Why an app that was asked for by its identifier or directory is not found.
    package func explanation(of name: String) -> String {
        if let app = unusable.first(where: { $0.isMeant(by: name) }) {
            return "the app in \(app.directory) cannot be used: \(app.reason)"
        }
        return "no app of this identifier that can be used is in the directories of apps: "
            + directories.joined(separator: ", ")
    }
}
