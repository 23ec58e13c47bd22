import ArgumentParser
import DeviceAgent
import Foundation

/// `martlet-agent status`: what this device holds, read beside a running agent.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the enrollment and the managed apps.",
        discussion: """
            Of each app: its configuration, whether the app accepts it (VERDICT), its state (STANDING), which the \
            server shows, too, once the device has reported it, and how far the running app is trusted (TRUST). The \
            last contact with the server is exact to the hour. If the running agent gets no answer from the server, \
            contact says since when, and why.
            """)

    @Flag(help: "For programs.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        guard var summary = try AgentSummary.read(directory: settings.directory, tpm: settings.tpm) else {
            throw AgentFailure(
                "no agent has worked in \(settings.directory)",
                advice: "Name its directory with --directory, or enroll first with martlet-agent enroll.")
        }
        summary.unusableApps = settings.searchedDirectories()?.unusable
        if let apps = try? settings.listedApps() { summary.take(apps) }
        summary.refusals = ControlCommand.refusals(controlPath: settings.paths.controlSocket)
        summary.outOfContact = ControlCommand.absence(controlPath: settings.paths.controlSocket)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            print(String(decoding: try encoder.encode(summary), as: UTF8.self))
            return
        }
        print("device       \(summary.udid)")
        print("enrolled     \(summary.isEnrolled ? "yes, with \(summary.server ?? "")" : "no")")
        if let kind = summary.kind, kind != .device {
            print("as           \(summary.name), \(Self.way(kind))")
        }
        for missing in summary.missingExtensions ?? [] {
            print("without      \(missing.rawValue): \(missing.consequence)")
        }
        if let expires = summary.identityExpires {
            let end = expires.formatted(.iso8601)
            print("identity     \(expires > Date() ? "until \(end)" : "expired \(end)")")
        }
        if summary.needsSignIn { print("sign-in      needed again: martlet-agent enroll --account") }
        if summary.awaitsConfiguration { print("setup        awaiting configuration; apps cannot be opened yet") }
        print("at rest      \(summary.keyHolder == "tpm" ? "key in the TPM" : "key in a file")")
        if summary.isOlderCopy {
            print("older copy   put back; what it held is not used until the server has answered")
        }
        if summary.isDamaged {
            print("damaged      newest generation; the one before serves until the next synchronization")
        }
        print("synchronized \(summary.hasSynchronised ? "yes" : "not yet")")
        if let contact = summary.lastContact {
            print("last contact \(AgentSummary.span(ofContact: contact, now: Date()))")
        }
        if let absence = summary.outOfContact {
            print("contact      none since \(absence.since.formatted(.iso8601)): \(absence.reason)")
        }
        for (reason, count) in (summary.refusals ?? [:]).sorted(by: { $0.key < $1.key }) where count > 0 {
            print("refused      \(reason)  \(count)")
        }
        for app in summary.unusableApps ?? [] { print("unusable     \(app.directory): \(app.reason)") }
        let lines = AgentSummary.App.lines(of: summary.apps)
        if !lines.isEmpty { print("") }
        for line in lines { print(line) }
    }

    /// How the device came to its server.
    private static func way(_ kind: EnrollmentKind) -> String {
        switch kind {
        case .device: "by a code"
        case .account: "a person's part of this device"
        case .automated: "expected"
        case .profile: "by a profile"
        }
    }
}
