import AdminMessages
import Foundation

/// A trial on one device, and what came of it.
struct TrialExchange: Sendable {
    let app: String
    /// The device's ID.
    let device: String
    /// The extension that is meant, as a query; nothing for the app itself.
    var part: [(String, String)] = []
    /// How long the device may take.
    let timeout: TimeSpan
    let server: Server

    /// Has the device asked; it answers when it comes.
    func begin(_ bytes: Data) async throws -> ConfigurationTrial {
        try await server.send(
            .post, ["devices", device, "apps", app, "configuration-trials"],
            query: [("timeout", "\(timeout.seconds)")] + part,
            body: .init(bytes: bytes, mediaType: "application/x-plist")
        ).decoded()
    }

    /// Waits until the trial is over, or its time is.
    func outcome(of begun: ConfigurationTrial) async throws -> ConfigurationTrial {
        guard let id = begun.id, !begun.state.isFinal else { return begun }
        // The server takes it back when the time is over, and says so.
        let slack = Duration.seconds(5)
        let ended: ConfigurationTrial? = try await Patience(timeout.duration + slack, for: "waiting for the app").wait {
            let trial: ConfigurationTrial = try await server.send(
                .get, ["devices", device, "apps", app, "configuration-trials", id], query: part
            ).decoded()
            return trial.state.isFinal ? trial : nil
        }
        var last = ended ?? begun
        last.check = begun.check
        return last
    }
}
