package import Foundation
package import Logging
import ServiceLifecycle

/// Where the server's certificate comes from.
package struct CertificateSource: Sendable {
    /// What is to be shown at a time; issued then, if it is issued here.
    package let load: @Sendable (Date) throws -> LoadedCertificate
    /// What to do when it ends soon.
    package let remedy: String

    package init(remedy: String, load: @escaping @Sendable (Date) throws -> LoadedCertificate) {
        self.remedy = remedy
        self.load = load
    }

    /// The operator's own.
    package init(_ files: CertificateFiles, hostnames: [String]) {
        let names = files.certificate == files.key ? files.certificate : "\(files.certificate) and \(files.key)"
        self.init(remedy: "replace \(names): the server takes over what is there within a minute") { _ in
            try files.load(hostnames: hostnames)
        }
    }
}

/// Shows the certificate that its source has, as soon as it is another one and fits; says when it ends soon.
///
/// An unsuitable certificate is logged once, and the one before stays in use. It is read again until it is suitable:
/// files are often replaced one after the other.
package actor CertificateWatch {
    private let shown: ShownCertificate
    private let logger: Logger
    private let now: @Sendable () -> Date
    private var source: CertificateSource
    private var digest: Data
    private var uncovered: [String] = []
    /// The last refusal that was logged.
    private var said: String?
    private var warnings = CertificateEndWarnings()
    /// The certificate of which was logged that it is not valid yet, by its digest.
    private var early: Data?

    /// Watches from `first` on, which is what the server shows by now.
    package init(
        _ source: CertificateSource, shown: ShownCertificate, first: LoadedCertificate, logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.shown, self.logger, self.now) = (shown, logger, now)
        self.source = source
        digest = first.digest
    }

    /// Looks once.
    package func look() {
        do {
            if try take() {
                logger.notice(
                    "the server's certificate was replaced: new connections are shown the new one",
                    metadata: ["until": "\(shown.end.map { $0.formatted(.iso8601) } ?? "?")"])
            }
            said = nil
        } catch {
            let refusal = Self.refusal(error)
            if said != refusal.rule {
                logger.error(
                    "the server's certificate cannot be replaced, the one of before stays",
                    metadata: ["rule": "\(refusal.rule)"])
            }
            said = refusal.rule
        }
        warnOfEnd()
    }

    /// Goes over to another source, and to what it has now.
    ///
    /// If that does not fit, what was shown before goes on until the new source has something that does.
    package func use(_ next: CertificateSource) throws(UnusableCertificate) {
        source = next
        do {
            _ = try take()
            said = nil
        } catch {
            let refusal = Self.refusal(error)
            // The caller logs the refusal.
            said = refusal.rule
            throw refusal
        }
        warnOfEnd()
    }

    /// Whether another certificate is shown now.
    private func take() throws -> Bool {
        let next = try source.load(now())
        let isAnother = next.digest != digest
        if isAnother { try shown.replace(chain: next.chain, key: next.key) }
        digest = next.digest
        sayUncovered(next.uncovered)
        warnOfBegin(next)
        return isAnother
    }

    private func warnOfBegin(_ next: LoadedCertificate) {
        guard next.begin > now(), early != next.digest else { return }
        early = next.digest
        logger.warning(
            "the server's certificate is not valid yet: clients refuse it until then",
            metadata: ["from": "\(next.begin.formatted(.iso8601))", "remedy": "\(source.remedy)"])
    }

    private func sayUncovered(_ names: [String]) {
        for name in names where !uncovered.contains(name) {
            logger.warning(
                "the server's certificate lacks a name of the server: clients that connect by it refuse it",
                metadata: ["name": "\(name)"])
        }
        uncovered = names
    }

    private func warnOfEnd() {
        guard let end = shown.end, let days = warnings.due(end, now: now()) else { return }
        let metadata: Logger.Metadata = [
            "days": "\(days)", "until": "\(end.formatted(.iso8601))", "remedy": "\(source.remedy)",
        ]
        switch days {
        case 0: logger.warning("the server's certificate has ended", metadata: metadata)
        case 1...7: logger.warning("the server's certificate ends soon", metadata: metadata)
        default: logger.notice("the server's certificate ends soon", metadata: metadata)
        }
    }

    private static func refusal(_ error: any Error) -> UnusableCertificate {
        error as? UnusableCertificate ?? UnusableCertificate(rule: "certificate and key do not belong together")
    }
}

/// Has a certificate looked at once a minute.
package struct CertificateLooks: Service {
    private let watch: CertificateWatch

    package init(_ watch: CertificateWatch) { self.watch = watch }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            // The first look says what is to be said of the one that the start found.
            repeat { await watch.look() } while (try? await Task.sleep(for: .seconds(60))) != nil
        }
    }
}
