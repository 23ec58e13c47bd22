package import DeviceMessages
package import InputBounds

/// What a status report says of managed apps: which versions are on the device, and which configurations were refused.
///
/// Kept beside the report itself, so that counting reads no device's status.
package struct ReportedApps: Sendable, Equatable {
    /// One app; nothing of it is kept where it has neither a version nor a refusal.
    package struct ReportedApp: Sendable, Equatable {
        package let identifier: String
        /// As people see it; nothing while the app is not on the device.
        package let version: String?
        /// At most one of the app and of each extension.
        package let refusals: [ReportedRefusal]
        /// How it fares; nothing of an app that is no longer managed.
        package let state: ReportedAppState?
    }

    /// By bundle identifier, in order.
    package let apps: [ReportedApp]
    /// What is not among the apps is not on the device any more.
    package let isWhole: Bool

    /// Reads what an update says; nothing where it says nothing of apps.
    package init?(_ update: StatusUpdate) {
        guard let list = update.items[AppStatus.name] else {
            guard update.isFull else { return nil }
            self.init(.array([]), isWhole: true)
            return
        }
        self.init(list, isWhole: StatusMerge.replaces(list, isFull: update.isFull))
    }

    /// The states of some apps, where what the server withholds of them changed and no report came.
    package init(states: [String: ReportedAppState]) {
        apps = states.sorted { $0.key < $1.key }
            .map { ReportedApp(identifier: $0.key, version: nil, refusals: [], state: $0.value) }
        isWhole = false
    }

    /// The same, where the server withholds something of these apps from the device.
    package func withholding(_ withheld: Set<String>) -> ReportedApps {
        guard !withheld.isEmpty else { return self }
        return ReportedApps(
            apps: apps.map { app in
                guard withheld.contains(app.identifier) else { return app }
                return ReportedApp(
                    identifier: app.identifier, version: app.version, refusals: app.refusals,
                    state: app.state?.whereWithheld)
            }, isWhole: isWhole)
    }

    /// The same, where the states of some apps follow from more than the report: nil of an app that has none.
    package func replacing(_ states: [String: ReportedAppState?]) -> ReportedApps {
        var all = Dictionary(apps.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        for (app, state) in states {
            all[app] = ReportedApp(
                identifier: app, version: all[app]?.version, refusals: all[app]?.refusals ?? [], state: state)
        }
        return ReportedApps(apps: all.values.sorted { $0.identifier < $1.identifier }, isWhole: isWhole)
    }

    private init(apps: [ReportedApp], isWhole: Bool) {
        self.apps = apps
        self.isWhole = isWhole
    }

    /// Reads a list of apps; elements that cannot be read say nothing.
    package init(_ list: JSONValue, isWhole: Bool) {
        var found: [String: ReportedApp] = [:]
        let rule = NameRule(.visible, upTo: 256)
        for status in (list.array ?? []).prefix(StatusLimits.elements).compactMap({ try? AppStatus($0) })
        where rule.takes(status.identifier) {
            found[status.identifier] = ReportedApp(
                identifier: status.identifier, version: status.removed ? nil : status.publishedVersion,
                refusals: status.removed ? [] : ReportedRefusal.all(in: status),
                state: status.removed ? nil : ReportedAppState(status))
        }
        apps = found.values.sorted { $0.identifier < $1.identifier }
        self.isWhole = isWhole
    }
}

/// That an app on a device, or one of its extensions, refused its configuration.
package struct ReportedRefusal: Sendable, Hashable {
    /// Of one device, beyond which they are not kept one by one.
    package static let mostPerDevice = 256
    private static let longestText = 1_024

    /// The bundle identifier of the extension; nothing for the app itself.
    package let `extension`: String?
    /// SHA-256 of what was refused, in lowercase hexadecimal; nothing of devices that do not say.
    package let digest: String?
    package let code: Int?
    package let message: String?
    package let keyPath: String?
    /// The path is where decoding stopped, not what the error named.
    package let isKeyPathSupplied: Bool

    /// All that an element tells; of what is only called invalid, as Apple's devices do, there is no more to say.
    static func all(in status: AppStatus) -> [ReportedRefusal] {
        guard !status.isAbsent else { return [] }
        var refusals: [String: ReportedRefusal] = [:]
        for reason in status.reasons where reason.code == AppStatus.configurationRefused {
            let refusal = ReportedRefusal(reason.details ?? .object([:]))
            refusals[refusal.extension ?? ""] = refusal
        }
        let states = status.configState?.extensions.map { ($0.key, $0.value) } ?? []
        for (name, state) in [("", status.configState?.app ?? "")] + states
        where state == "invalid" && refusals[name] == nil {
            let its = name.isEmpty ? [:] : ["Extension": JSONValue.string(name)]
            refusals[name] = ReportedRefusal(.object(its))
        }
        return refusals.sorted { $0.key < $1.key }.map(\.value)
    }

    private init(_ details: JSONValue) {
        func text(_ key: String) -> String? {
            details[key]?.string.map { String($0.prefix(Self.longestText)) }
        }
        self.extension = text("Extension").flatMap { $0.isEmpty ? nil : $0 }
        digest = text("Version").flatMap { Self.isDigest($0) ? $0 : nil }
        code = details["Code"]?.int
        message = text("Message")
        keyPath = text("KeyPath")
        isKeyPathSupplied = details["KeyPathSupplied"]?.bool ?? false
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
