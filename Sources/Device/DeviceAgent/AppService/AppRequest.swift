import AppMessages
import Foundation

/// What a person at this device asks about its apps.
package enum AppRequest: Sendable, Equatable {
    case list
    /// Where apps are looked for and, if it is to be listed, what cannot be used as one there.
    case directories(isListed: Bool)
    /// Install an optional app.
    case install(bundleIdentifier: String)
    /// Look for a newer version now, and have it.
    case update(bundleIdentifier: String)
    /// Be rid of an app that was had by `install`.
    case remove(bundleIdentifier: String)
    /// Let a restricted extension have what is meant for it, or take that back.
    case setFullAccess(bundleIdentifier: String, isGranted: Bool)
}

/// What is answered at once; what was accepted is then done in its own time.
package enum AppAnswer: Sendable, Equatable {
    case apps([ListedApp])
    case directories(AppDirectories)
    case accepted
    /// Why not, for a person at a terminal.
    case refused(String)
}

/// An app of this device, managed or not, as people see it.
package struct ListedApp: Codable, Sendable, Equatable {
    package let bundleIdentifier: String
    package let name: String
    /// The installed version; nothing if it is not here.
    package let version: String?
    package let shortVersion: String?
    package let isManaged: Bool
    /// The protocol's word for where a declared app stands.
    package let state: String?
    package let updateState: String?
    /// The server's word for a declared app as it is now, which `martlet-agent status` shows; nothing from older agents.
    package let standing: String?
    /// How much of a download is here.
    package let percent: Int?
    package let reasons: [String]
    package let isOptional: Bool
    /// Whether the kernel refuses every change of its files (fs-verity); nothing for what the agent did not install.
    package let isImmutable: Bool?
    /// Its extensions; older agents do not list them.
    package let extensions: [ListedExtension]?
    /// The users that it and its extensions run as; nothing where apps share one, and from older agents.
    package var users: [ListedUsers]?

    package init(
        bundleIdentifier: String, name: String, version: String?, shortVersion: String?, isManaged: Bool,
        state: String?, updateState: String? = nil, standing: String? = nil, percent: Int? = nil,
        reasons: [String] = [],
        isOptional: Bool = false, isImmutable: Bool? = nil, extensions: [ListedExtension]? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.name = name
        self.version = version
        self.shortVersion = shortVersion
        self.isManaged = isManaged
        self.state = state
        self.updateState = updateState
        self.standing = standing
        self.percent = percent
        self.reasons = reasons
        self.isOptional = isOptional
        self.isImmutable = isImmutable
        self.extensions = extensions
    }
}

/// A range of users that an app of this device runs as, each of them for another person or extension.
package struct ListedUsers: Codable, Sendable, Equatable {
    /// The team whose signature the app had, `unsigned` or `nobody`.
    package let signer: String
    package let first: UInt32
    package let last: UInt32

    package init(signer: String, first: UInt32, last: UInt32) {
        self.signer = signer
        self.first = first
        self.last = last
    }
}

/// An extension of an app of this device; managed as its app is.
package struct ListedExtension: Codable, Sendable, Equatable {
    package let bundleIdentifier: String
    package let kind: String
    /// `valid`, `invalid` or `unknown`; nothing without a configuration of its own.
    package let configState: String?
    package let isRestricted: Bool
    /// Whether it was granted what only restricted ones need.
    package let hasFullAccess: Bool

    package init(
        bundleIdentifier: String, kind: String, configState: String?, isRestricted: Bool, hasFullAccess: Bool
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.kind = kind
        self.configState = configState
        self.isRestricted = isRestricted
        self.hasFullAccess = hasFullAccess
    }
}

extension ControlMessages {
    static let apps = "dev.martlet.Control.Apps"
    static let appDirectories = "dev.martlet.Control.AppDirectories"
    static let install = "dev.martlet.Control.Install"
    static let update = "dev.martlet.Control.Update"
    static let remove = "dev.martlet.Control.Remove"
    static let setFullAccess = "dev.martlet.Control.SetFullAccess"

    /// Which app is meant.
    struct NamedApp: Codable {
        let bundleIdentifier: String
    }

    /// Which extension, and whether it has full access from now on.
    struct FullAccess: Codable {
        let bundleIdentifier: String
        let isGranted: Bool
    }

    /// The answer to all six; one of its members is there, or none.
    package struct AppsAnswer: Codable {
        var apps: [ListedApp]?
        var refusal: String?
        var directories: AppDirectories?

        package init(_ answer: AppAnswer) {
            switch answer {
            case .apps(let list): apps = list
            case .directories(let found): directories = found
            case .accepted: break
            case .refused(let why): refusal = why
            }
        }

        package var answer: AppAnswer {
            if let refusal { return .refused(refusal) }
            if let apps { return .apps(apps) }
            return directories.map(AppAnswer.directories) ?? .accepted
        }
    }

    /// The request in a call, if it is one about apps.
    static func appRequest(_ call: VarlinkCall) throws(VarlinkError) -> AppRequest? {
        switch call.method {
        case apps: .list
        case appDirectories: .directories(isListed: true)
        case install: .install(bundleIdentifier: try call.parameters(NamedApp.self).bundleIdentifier)
        case update: .update(bundleIdentifier: try call.parameters(NamedApp.self).bundleIdentifier)
        case remove: .remove(bundleIdentifier: try call.parameters(NamedApp.self).bundleIdentifier)
        case setFullAccess: try fullAccess(call.parameters(FullAccess.self))
        default: nil
        }
    }

    private static func fullAccess(_ call: FullAccess) -> AppRequest {
        .setFullAccess(bundleIdentifier: call.bundleIdentifier, isGranted: call.isGranted)
    }

    /// The call for a request.
    static func call(_ request: AppRequest) -> Data {
        switch request {
        case .list: VarlinkCall.encode(apps, Varlink.Nothing())
        case .directories: VarlinkCall.encode(appDirectories, Varlink.Nothing())
        case .install(let bundle): VarlinkCall.encode(install, NamedApp(bundleIdentifier: bundle))
        case .update(let bundle): VarlinkCall.encode(update, NamedApp(bundleIdentifier: bundle))
        case .remove(let bundle): VarlinkCall.encode(remove, NamedApp(bundleIdentifier: bundle))
        case .setFullAccess(let bundle, let isGranted):
            VarlinkCall.encode(setFullAccess, FullAccess(bundleIdentifier: bundle, isGranted: isGranted))
        }
    }
}
