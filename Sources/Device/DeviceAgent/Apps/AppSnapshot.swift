import AppPackages

/// An app in a directory of apps with the files by which it is judged: if one of them is replaced, it is another
/// snapshot.
///
/// What else lies in an app's directory is no part of it. No file is read.
struct AppSnapshot: Hashable, Sendable {
    private let app: AppBundle
    private let files: [FileIdentity?]

    init(_ app: AppBundle) {
        self.app = app
        files = app.judgedFiles.map { FileIdentity(at: $0) }
    }
}

extension AppBundle {
    /// The files by which an app is judged, whether they are there or not.
    var judgedFiles: [String] {
        let known: [PackagePath] = [.information, .list, .signature, .entitlements, .specification]
        let inside = (known + extensions.map(\.executable)).map { directory + "/" + $0.text }
        return [executable] + inside + (desktopEntry.map { [$0] } ?? [])
    }
}
