import DeviceMessages
package import Foundation
package import InputBounds

/// An app that is managed by command: without a declaration, and until one takes it over.
package struct CommandedApp: Codable, Equatable, Sendable {
    /// The attributes that have an effect on this device; others are refused.
    package static let knownAttributes: Set = ["Removable"]

    /// The manifest by which it is installed; nothing for an app that is only managed where it is.
    package var manifest: ManifestSource?

    /// `ManagementFlags`, as the last installation said.
    package var flags: Int

    /// SHA-256 of the dictionary for its user defaults.
    package var configuration: String?

    /// A property list whose outermost value is a dictionary.
    package var attributes: Data?

    package init(
        manifest: ManifestSource? = nil, flags: Int = 0, configuration: String? = nil, attributes: Data? = nil
    ) {
        self.manifest = manifest
        self.flags = flags
        self.configuration = configuration
        self.attributes = attributes
    }

    /// Whether it leaves the device when the enrollment ends.
    package var leavesWithEnrollment: Bool { flags & InstallApplication.removedWithEnrollment != 0 }

    /// Whether the person at the device may remove it.
    package var isRemovable: Bool { attributeValues?["Removable"]?.bool ?? true }

    /// The attributes as a server may ask for them.
    package var attributeValues: PropertyListValue? {
        attributes.flatMap { try? PropertyListValue(parsing: $0, limits: AppCommandBounds.dictionary) }
    }

    /// What an older copy may bring back: that the app is managed, and no more.
    ///
    /// What it has, and whether it is to be installed, a server says anew.
    var withoutWhatMayBeOld: CommandedApp { CommandedApp(flags: flags) }

    /// The same as what a declaration would have made of it.
    fileprivate func applied(_ bundle: String) -> AppliedApp {
        var app = AppliedApp(composedIdentifier: bundle, declarationIdentifier: "")
        (app.manifest, app.defaults) = (manifest, configuration)
        return app
    }
}

/// The content that apps may keep when the agent withdraws the rest.
enum ServiceBound: Sendable {
    /// Of the declarations no more than this; the content that commands gave to other apps stays.
    case declarations(Applied)
    case nothing
}

extension AgentState {
    /// Every app that is managed: those of declarations, and those that are managed by command.
    package var managed: [String: AppliedApp] {
        commanded.reduce(into: applied.apps) { apps, one in
            if apps[one.key] == nil { apps[one.key] = one.value.applied(one.key) }
        }
    }

    /// Takes away what is beyond a bound, and adds nothing.
    mutating func withdraw(beyond bound: ServiceBound) {
        switch bound {
        case .declarations(let meant):
            applied = applied.within(meant)
            // A declaration has taken these over, also where that is not on the disk yet.
            for bundle in meant.apps.keys { commanded[bundle] = nil }
        case .nothing:
            applied = applied.within(Applied())
            commanded = [:]
        }
    }

    /// Ends management by command: by its flags, each app leaves the device or stays unmanaged.
    mutating func releaseCommanded() {
        for (bundle, app) in commanded { installed[bundle]?.stays = !app.leavesWithEnrollment }
        commanded = [:]
    }

    /// Takes an app that is managed by command off the device; where it was not installed here nothing is there to take.
    mutating func removeCommanded(_ bundle: String) {
        commanded[bundle] = nil
        installations[bundle] = nil
        leave(bundle)
        applied.generation += 1
    }
}
