import AppSpecification
package import DeviceMessages
import InputBounds

extension Management {
    /// What a device last said of each app that is managed by command.
    package func commandedApps(of device: String) async throws -> [CommandedAppStatus] {
        guard case .array(let elements) = try await reported(CommandedAppStatus.name, by: device) else { return [] }
        return elements.compactMap { try? CommandedAppStatus($0) }.filter { !$0.removed }
    }

    /// What there is to say of a command that concerns apps, or why it is not queued.
    ///
    /// `request` is the inner dictionary, of whatever type. Where it is for several devices, and none is named, nothing is
    /// asked of the versions on them. What an app would refuse of a configuration does not count where it `isForced`, and
    /// neither does that a value in it looks like a secret.
    func judgeAppCommand(
        _ request: PropertyListValue, for device: String?, isForced: Bool
    ) async throws -> Outcome<AppCommandJudgement, AdminRefusal> {
        let command: AppCommand
        do throws(InputRefusal) {
            guard let read = try AppCommand.read(request) else { return .accepted(AppCommandJudgement()) }
            command = read
        } catch {
            return .refused(.invalid(rule: "The command is refused: \(error.sentence)."))
        }
        if case .query(let query) = command, let refusal = try await refusal(of: query) { return .refused(refusal) }
        var present: [String: String] = [:]
        if case .settings = command, let device {
            for status in try await commandedApps(of: device) { present[status.identifier] = status.version }
        }
        var judgement = AppCommandJudgement()
        for (named, root) in command.configurations {
            var app = named
            // Where it comes from says more than the name that the command has for it.
            if case .install(let install) = command { app = try await self.app(of: install) ?? named }
            var published: [(version: String, specification: AppSpecification)] = []
            if let app { published = try await self.published(by: app) }
            let configuration = CommandedConfiguration(
                root: root, published: published, present: app.flatMap { present[$0] }, isAppKnown: app != nil)
            switch configuration.judged(isForced: isForced) {
            case .refused(let refusal):
                secretRefusals.note(configuration.content, isForced: isForced)
                return .refused(refusal)
            case .accepted(let said):
                judgement.warnings += said
                judgement.suspectedSecrets += configuration.content.named
            }
        }
        return .accepted(judgement)
    }

    /// Which of the apps here has the source from which the command installs; nothing where none has.
    private func app(of install: InstallApplication) async throws -> String? {
        if let url = install.manifestURL {
            if let sha256 = HostedPackage.digest(inManifestURL: url, at: settings.baseURL) {
                return try await store.package(sha256)?.app
            }
            return try await store.app(from: .manifest, at: url)
        }
        guard let number = install.storeIdentifier else { return nil }
        return try await store.app(from: .appStore, at: "\(number)")
    }

    /// The server keeps feedback that a device deletes, but not for an unknown app, so it does not ask for that.
    private func refusal(of query: AppQuery) async throws -> AdminRefusal? {
        guard query.deletesFeedback else { return nil }
        for app in query.identifiers ?? [] where try await store.app(app) == nil {
            return .invalid(
                rule: "Feedback that a device deletes is kept here, of apps that are known here, and one of these is "
                    + "not: create the app first, or ask without DeleteFeedback.")
        }
        return nil
    }
}
