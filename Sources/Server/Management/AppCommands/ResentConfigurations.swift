import Crypto
package import DeviceMessages
package import Foundation
import InputBounds

/// Sends configurations again, those that commands gave to apps, to a device that started with an older copy of its
/// state.
///
/// Such a device asks for its declarations by itself. Only the server has a record of what commands gave it, as long as
/// it keeps finished commands. It sends the newest configuration that the device acknowledged, but only if the
/// configuration that the device named last is on record, too. Otherwise the server may have deleted the record of a
/// newer one.
package enum ResentConfigurations {
    /// The types of commands that change the configurations of apps.
    package static let requestTypes = [
        InstallApplication.requestType, RemoveApplication.requestType, AppSettings.requestType,
    ]

    /// How many of a device's newest commands are looked at.
    package static let mostCommands = 200

    private struct Given {
        let isAcknowledged: Bool
        let configuration: PropertyListValue?

        /// The digest by which the device names the configuration.
        var digest: String? {
            configuration.map { Hexadecimal.text(Array(SHA256.hash(data: $0.xml()))) }
        }
    }

    /// The commands to queue.
    ///
    /// - Parameters:
    ///   - device: The device's key.
    ///   - run: Identifies the start with the older copy. The same start always gives the same command UUIDs.
    ///   - reported: The apps in the device's last report before that start.
    ///   - sent: The device's commands of `requestTypes`, the oldest first.
    ///   - now: The time.
    /// - Returns: One command for each app whose configuration is sent again.
    package static func commands(
        for device: String, run: String, reported: [CommandedAppStatus], after sent: [QueuedCommand], at now: Date
    ) -> [QueuedCommand] {
        guard let given = given(by: sent) else { return [] }
        return reported.compactMap { status in
            guard !status.removed, let known = status.configuration, let history = given[status.identifier],
                let newest = history.last, newest.isAcknowledged, history.contains(where: { $0.digest == known })
            else { return nil }
            return command(newest.configuration, of: status.identifier, for: device, run: run, at: now)
        }
    }

    /// The configurations of each app, in the order in which the device received them; nil if the app of a command is
    /// unknown.
    private static func given(by sent: [QueuedCommand]) -> [String: [Given]]? {
        // A command that is not finished comes after all others.
        let ordered = sent.enumerated().sorted { left, right in
            let (first, second) = (left.element.finished ?? .distantFuture, right.element.finished ?? .distantFuture)
            return first == second ? left.offset < right.offset : first < second
        }
        var given: [String: [Given]] = [:]
        for (_, command) in ordered where command.state != .error && command.state != .commandFormatError {
            guard note(command, in: &given) else { return nil }
        }
        return given
    }

    /// Adds the configurations of a command; false if the app of the command is unknown.
    private static func note(_ command: QueuedCommand, in given: inout [String: [Given]]) -> Bool {
        guard let request = (try? Command(parsing: command.document))?.request else { return true }
        let isAcknowledged = command.state == .acknowledged
        let answer = command.result.flatMap { try? CommandReport(parsing: $0) }?.contents
        switch command.requestType {
        case InstallApplication.requestType:
            guard let install = try? InstallApplication(request), let configuration = install.configuration else {
                return true
            }
            guard let app = install.identifier ?? answer?["Identifier"]?.string else { return false }
            given[app, default: []].append(Given(isAcknowledged: isAcknowledged, configuration: configuration))
        case RemoveApplication.requestType:
            guard let removal = try? RemoveApplication(request) else { return true }
            let uncertain = [Given(isAcknowledged: false, configuration: nil)]
            given[removal.identifier] = isAcknowledged ? nil : uncertain
        case AppSettings.requestType:
            let results = answer?["Settings"]?.array ?? []
            for (number, item) in ((try? AppSettings(request))?.items ?? []).enumerated() {
                guard case .configuration(let app, let configuration) = item else { continue }
                // The results are in the order of the items.
                let status = number < results.count ? results[number]["Status"]?.string : nil
                guard status != CommandStatus.error.rawValue else { continue }
                given[app, default: []].append(Given(isAcknowledged: isAcknowledged, configuration: configuration))
            }
        default: break
        }
        return true
    }

    private static func command(
        _ configuration: PropertyListValue?, of app: String, for device: String, run: String, at now: Date
    ) -> QueuedCommand? {
        let name = SHA256.hash(data: Data("configuration again\n\(device)\n\(run)\n\(app)".utf8))
        let uuid = Management.uuid(of: name, version: 8)
        let request = AppSettings(items: [.configuration(app: app, configuration)]).request
        guard let document = try? Command(uuid: uuid, request: request).encoded(),
            document.count <= CommandLimits.documentBytes
        else { return nil }
        return QueuedCommand(
            uuid: uuid, requestType: AppSettings.requestType, document: document, state: .queued, deferred: false,
            author: AuditActor.server.text, created: now, sent: nil, finished: nil, result: nil, resultTooLarge: false)
    }
}
