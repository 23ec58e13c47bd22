package import AppPackages

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

    /// Whether it is to have no network, `MartletOffline`.
    package let isOffline: Bool

    /// What desktops show of it, `MartletDesktopEntry`: a full path inside `directory`.
    package let desktopEntry: String?

    /// Its extensions, whose programs are there.
    package let extensions: [AppExtension]

    /// What it is to the app that contains it, if it is an extension.
    package let role: ExtensionRole?

    /// Describes an app.
    package init(
        directory: String, identifier: String, name: String, version: String, shortVersion: String, executable: String,
        readsFiles: Bool = false, isIsolated: Bool = false, isOffline: Bool = false,
        desktopEntry: String? = nil, extensions: [AppExtension] = [], role: ExtensionRole? = nil
    ) {
        self.directory = directory
        self.identifier = identifier
        self.name = name
        self.version = version
        self.shortVersion = shortVersion
        self.executable = executable
        self.readsFiles = readsFiles
        self.isIsolated = isIsolated
        self.isOffline = isOffline
        self.desktopEntry = desktopEntry
        self.extensions = extensions
        self.role = role
    }

    /// One of its extensions, which is launched and known as an app is.
    package func bundle(of one: AppExtension) -> AppBundle {
        AppBundle(
            directory: directory, identifier: one.identifier, name: "\(name) (\(one.identifier))", version: version,
            shortVersion: shortVersion, executable: directory + "/" + one.executable.text, readsFiles: readsFiles,
            isIsolated: isIsolated, isOffline: isOffline,
            role: ExtensionRole(app: identifier, isRestricted: one.isRestricted))
    }

    /// The same with another of its programs.
    func running(_ program: String) -> AppBundle {
        AppBundle(
            directory: directory, identifier: identifier, name: name, version: version, shortVersion: shortVersion,
            executable: program, isIsolated: isIsolated, isOffline: isOffline, extensions: extensions, role: role)
    }

    /// Itself and its extensions.
    var family: [AppBundle] { [self] + extensions.map(bundle) }
}
