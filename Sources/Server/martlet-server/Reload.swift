import CertificateAuthority
import Foundation
import Logging
import ServerHTTP
import ServiceLifecycle
import ServiceManager
import UnixSignals

/// Takes over on SIGHUP what can change while the server runs: its certificate and key, for which hosts that is, and how
/// much is logged.
///
/// An unusable setting is logged, and the one before stays in force; so does a setting that needs a restart.
struct Reload: Service {
    /// Each `SIGHUP`; nothing where it ends the program.
    let signals: UnixSignalsSequence?
    let place: PlaceOptions
    let options: SettingOptions
    let started: Settings
    let directory: DataDirectory
    let authority: Authority
    let certificate: ShownCertificate
    let watch: CertificateWatch
    let level: SharedLogLevel
    let manager: ServiceManager?
    let logger: Logger

    /// Settings that hold from one moment to the next.
    private static let atOnce: Set<String> = ["logLevel", "hostnames", "certificateFiles"]

    func run() async throws {
        guard let signals else { return try await gracefulShutdown() }
        for await _ in signals.cancelOnGracefulShutdown() {
            manager?.say(.reloading)
            await reload()
            manager?.say(.ready)
        }
    }

    private func reload() async {
        let settings: Settings
        do {
            settings = try await Settings(place, options)
        } catch {
            logger.error(
                "nothing was reloaded: the settings are refused, those of before stay", metadata: ["rule": "\(error)"])
            return
        }
        level.set(settings.logLevel)
        let waiting = settings.differences(from: started).subtracting(Self.atOnce).sorted()
        if !waiting.isEmpty {
            logger.warning(
                "settings that need another start were changed",
                metadata: ["settings": "\(waiting.joined(separator: ", "))"])
        }
        do {
            try await watch.use(settings.certificateSource(directory, authority))
        } catch {
            logger.error(
                "the certificate was not reloaded, the one of before stays", metadata: ["rule": "\(error)"])
            return
        }
        logger.notice(
            "reloaded", metadata: ["certificate until": "\(certificate.end.map { $0.formatted(.iso8601) } ?? "?")"])
    }
}

extension Settings {
    /// The names of the settings that have another value here.
    func differences(from other: Settings) -> Set<String> {
        let pairs = zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children)
        return Set(
            pairs.compactMap { mine, others in
                String(describing: mine.value) == String(describing: others.value) ? nil : mine.label
            })
    }
}
