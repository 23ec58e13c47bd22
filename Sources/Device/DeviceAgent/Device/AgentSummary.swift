import DeviceMessages
package import Foundation
package import TPMKeys

/// What `martlet-agent status` shows; no secret and no configuration is in it.
package struct AgentSummary: Codable, Sendable {
    /// One managed app.
    package struct App: Codable, Sendable {
        package let bundleIdentifier: String
        package let declarationIdentifier: String
        /// SHA-256 of the configuration that serves; empty without one.
        package let version: String
        /// What the app said about it: valid, invalid or unknown.
        package let verdict: String
        /// The server's word for the app on this device, nothing of an app that only commands manage.
        ///
        /// What the agent that runs finds now, which the server shows once it is reported; while none runs, what the server
        /// has accepted last.
        package private(set) var standing: String?
        /// How sure it is that what runs is the app: launched or shared; nothing while it does not run.
        package let trust: String?
        /// The trust that it takes to be given secrets.
        package let lowestTrust: String

        /// Reads what the agent knows of an app that it manages.
        package init(_ identifier: String, _ app: AppliedApp, in state: AgentState) {
            let launches = state.launches.filter { $0.role == nil && $0.bundleIdentifier == identifier }
            bundleIdentifier = identifier
            declarationIdentifier = app.declarationIdentifier
            version = app.configuration ?? ""
            verdict = state.report(of: identifier).map { $0.valid ? "valid" : "invalid" } ?? "unknown"
            standing =
                app.isDeclared
                ? state.reportedState(of: identifier)?.rawValue ?? ReportedAppState.unreportedWord : nil
            trust = launches.map(\.trust).min()?.rawValue
            lowestTrust = (app.lowestTrust ?? .launched).rawValue
        }

        /// Takes what the agent that runs finds.
        package mutating func take(_ listed: ListedApp) { if let word = listed.standing { standing = word } }

        private static let columns = ["APP", "CONFIGURATION", "VERDICT", "STANDING", "TRUST"]

        /// The app as people read it, by column.
        package var cells: [String] {
            [
                bundleIdentifier, version.isEmpty ? "none" : version, verdict, standing ?? "by command",
                trust ?? "not running",
            ]
        }

        /// Apps as people read them, one on a line below the names of the columns; nothing without apps.
        package static func lines(of apps: [App]) -> [String] {
            guard !apps.isEmpty else { return [] }
            let rows = [columns] + apps.map(\.cells)
            let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
            return rows.map { row in
                zip(row, widths).dropLast().map { cell, width in
                    cell + String(repeating: " ", count: width - cell.count + 2)
                }.joined() + (row.last ?? "")
            }
        }
    }

    package let udid: String
    package let isEnrolled: Bool
    package let server: String?
    /// How the device came to the server: by a code, an account or by being expected.
    package let kind: EnrollmentKind?
    /// As whom the server knows it.
    package let name: String
    /// When the identity ends by which the server knows this device; it is renewed before.
    package let identityExpires: Date?
    package let hasSynchronised: Bool
    /// Whether the person by whose account the device came has to sign in again.
    package let needsSignIn: Bool
    /// Whether the device waits in its setup until the server says that everything is there.
    package let awaitsConfiguration: Bool
    /// What a Martlet server has for this device and its server does not; nothing where it has all.
    package let missingExtensions: [MissingExtension]?
    package let lastContact: Date?
    package let generation: Int
    /// What holds the key of all this: tpm or file.
    package let keyHolder: String
    /// Whether an older copy was put in the place of the newest: what it held is not used until the server has answered.
    package let isOlderCopy: Bool
    /// Whether the newest generation was damaged, and the one before serves until a synchronization has replaced it.
    package let isDamaged: Bool
    package private(set) var apps: [App]
    /// What the agent that runs has refused at the apps' sockets, and of packages, since it began, by reason; nothing while none runs.
    package var refusals: [String: Int]?
    /// What lies in the directories of apps and cannot be used as one, with the reason; nothing while no agent runs.
    package var unusableApps: [UnusableApp]?
    /// Since when the agent that runs gets no answer from its server, and why; nothing while it gets one, and while none runs.
    package var outOfContact: ServerContact.Absence?

    /// Takes what the agent that runs finds of its apps.
    package mutating func take(_ listed: [ListedApp]) {
        for index in apps.indices {
            let identifier = apps[index].bundleIdentifier
            if let app = listed.first(where: { $0.bundleIdentifier == identifier }) { apps[index].take(app) }
        }
    }

    /// Reads a directory without touching it, also while an agent works in it; nothing if there is none.
    package static func read(directory: String, tpm: TPM? = nil) throws -> AgentSummary? {
        var attempts = 3
        while true {
            do {
                let store = try GenerationStore<AgentState>(
                    directory: directory, steps: DiskSteps(),
                    guardedBy: tpm.map { ChipGuard($0, directory: directory) },
                    readOnly: true)
                return store.state.map { AgentSummary($0, of: store) }
            } catch StoreRefusal.keyMissing where isNew(directory) {
                return nil
            } catch StoreRefusal.noWholeGeneration where attempts > 0 {
                // The agent swapped generations between our looking and our reading.
                attempts -= 1
            }
        }
    }

    /// Whether nothing was ever kept in a directory.
    private static func isNew(_ directory: String) -> Bool {
        let kept = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/generations")) ?? []
        return !kept.contains { $0.hasSuffix(".generation") }
    }

    /// Between which two moments the server last answered, as text for people.
    ///
    /// The agent saves the moment of a contact once an hour at most. The last contact can be up to an hour later than
    /// the saved moment.
    package static func span(ofContact contact: Date, now: Date) -> String {
        let latest = min(contact.addingTimeInterval(3_600), now)
        // A clock that was set back since leaves nothing to say but the moment.
        guard latest.timeIntervalSince(contact) >= 1 else { return contact.formatted(.iso8601) }
        return "between \(contact.formatted(.iso8601)) and \(latest.formatted(.iso8601))"
    }

    private init(_ state: AgentState, of store: GenerationStore<AgentState>) {
        keyHolder = store.isGuarded ? "tpm" : "file"
        isOlderCopy = store.isOlderCopy
        isDamaged = store.setAside > 0 || state.damagedGeneration != nil
        udid = state.udid
        isEnrolled = state.enrollment?.stage == .isComplete
        server = state.enrollment?.origin
        kind = state.enrollment?.kind
        name = state.identifier.id
        identityExpires = state.enrollment?.identityExpires
        hasSynchronised = state.hasSynchronised
        needsSignIn = state.needsSignIn
        awaitsConfiguration = state.isInSetup
        missingExtensions = MissingExtension.all(of: state.enrollment)
        lastContact = state.lastContact
        generation = state.applied.generation
        apps = state.managed.sorted { $0.key < $1.key }.map { identifier, app in App(identifier, app, in: state) }
    }
}
