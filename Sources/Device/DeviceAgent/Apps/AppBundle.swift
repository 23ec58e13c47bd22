/// An app as it lies on the device: a directory that describes itself in an `Info.plist`.
package struct AppBundle: Hashable, Sendable {
    /// Where the app lies.
    package let directory: String

    /// What names the app on the whole road, `CFBundleIdentifier`.
    package let identifier: String

    /// What people call it.
    package let name: String

    /// The build, `CFBundleVersion`.
    package let version: String

    /// The version people see, `CFBundleShortVersionString`.
    package let shortVersion: String

    /// The program to start: a full path inside `directory`.
    package let executable: String

    /// Whether it reads its configuration from files, `MartletFiles`.
    package let readsFiles: Bool

    /// Whether it wants to reach nothing but itself and its home, `MartletIsolated`.
    package let isIsolated: Bool

    /// What desktops show of it, `MartletDesktopEntry`: a full path inside `directory`.
    package let desktopEntry: String?

    /// Describes an app.
    package init(
        directory: String, identifier: String, name: String, version: String, shortVersion: String, executable: String,
        readsFiles: Bool = false, isIsolated: Bool = false,
        desktopEntry: String? = nil
    ) {
        self.directory = directory
        self.identifier = identifier
        self.name = name
        self.version = version
        self.shortVersion = shortVersion
        self.executable = executable
        self.readsFiles = readsFiles
        self.isIsolated = isIsolated
        self.desktopEntry = desktopEntry
    }
}
