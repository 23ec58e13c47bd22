import ArgumentParser
import Configuration
import Foundation
import Logging
import Management
import ServerHTTP
import ServiceManager

/// What the operator decided, checked as a whole before anything is touched.
struct Settings: Sendable {
    let dataDirectory: String
    let host: String
    let port: Int
    let hostnames: [String]
    let url: String?
    let organization: String
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// Where measurements are read, if anywhere.
    let metrics: (host: String, port: Int)?
    let endorsementRoots: String?
    let pinEndorsementKeys: Bool
    let appleAttestationRoots: String?
    let lifetimes: CertificateLifetimes
    /// For how long people who enrolled by account stay signed in, if not forever.
    let signInLifetime: TimeInterval?
    let auditDays: Int
    /// How often one device may report its status; 0 is without a bound.
    let statusReportsPerMinute: Int
    let enrollmentMeans: EnrollmentOffer.Means
    /// The organization's sign-in, if administrators may sign in there.
    let signIn: SignInSettings?
    /// What webhooks may reach beside the public network.
    let webhookPolicy: AddressPolicy
    let webhookAuthority: String?
    /// Where pushes to Apple devices go.
    let pushService: String
    let pushAuthority: String?
    /// The operator's own certificate; without it the server issues one to itself.
    let certificateFiles: CertificateFiles?
    /// Variables with our prefix that this program does not know; they have no effect.
    let unknownVariables: [String]

    /// The hosts where no setting names any.
    static let usualHostnames = ["localhost", "127.0.0.1"]

    /// Options first, then the environment, then the file, then defaults.
    init(_ place: PlaceOptions, _ options: SettingOptions) async throws {
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "martlet")
        let named = place.config ?? ConfigReader(provider: environment).string(forKey: "config")
        let found = try await Self.file(named, beside: environment, and: options.given(with: place))
        unknownVariables = found.unknownVariables
        let reader = ConfigReader(providers: [environment, found.file])
        dataDirectory = place.dataDirectory ?? reader.string(forKey: "dataDirectory") ?? "/var/lib/martlet-server"
        host = options.host ?? reader.string(forKey: "host") ?? "127.0.0.1"
        port = options.port ?? reader.int(forKey: "port") ?? 8_443
        auditDays = options.auditDays ?? reader.int(forKey: "auditDays") ?? 1_095
        statusReportsPerMinute = options.statusReportsPerMinute ?? reader.int(forKey: "statusReportsPerMinute") ?? 60
        let names = options.hostnames.isEmpty ? reader.stringArray(forKey: "hostnames") ?? [] : options.hostnames
        hostnames = names.isEmpty ? Self.usualHostnames : names
        url = options.url ?? reader.string(forKey: "url")
        organization = options.organization ?? reader.string(forKey: "organization") ?? "Martlet"
        endorsementRoots = options.endorsementRoots ?? reader.string(forKey: "endorsementRoots")
        pinEndorsementKeys = options.pinEndorsementKeys || reader.bool(forKey: "pinEndorsementKeys") ?? false
        appleAttestationRoots = options.appleAttestationRoots ?? reader.string(forKey: "appleAttestationRoots")
        lifetimes = Self.lifetimes(options, reader)
        signIn = try SignInSettings(options, reader)
        webhookPolicy = try Self.webhookPolicy(options, reader)
        webhookAuthority = options.webhookAuthority ?? reader.string(forKey: "webhookAuthority")
        pushService = Self.pushService(options, reader)
        pushAuthority = options.pushAuthority ?? reader.string(forKey: "pushAuthority")
        certificateFiles = try Self.certificateFiles(options, reader)
        signInLifetime = Self.signInLifetime(options, reader)
        let means = options.enrollmentIdentity ?? reader.string(forKey: "enrollmentIdentity") ?? "scep"
        guard let enrollmentMeans = EnrollmentOffer.Means(rawValue: means) else {
            throw ValidationError("Devices have their identity by scep, acme or acme-attested.")
        }
        self.enrollmentMeans = enrollmentMeans
        let level = options.logLevel ?? reader.string(forKey: "logLevel") ?? "info"
        guard ServiceSettings.logLevels.contains(level), let logLevel = Logger.Level(rawValue: level) else {
            throw ValidationError("The log level is one of \(ServiceSettings.logLevels.joined(separator: ", ")).")
        }
        self.logLevel = logLevel
        let format = options.logFormat ?? reader.string(forKey: "logFormat") ?? "text"
        guard let logFormat = LogFormat(rawValue: format) else {
            throw ValidationError("The log's format is text or json.")
        }
        self.logFormat = logFormat
        metrics = try (options.metrics ?? reader.string(forKey: "metrics")).map(Self.address)
    }

    /// Where devices reach the server when it listens on `port`.
    func baseURL(port: Int) -> String {
        if let url { return url.hasSuffix("/") ? String(url.dropLast()) : url }
        let name = hostnames.first ?? "localhost"
        return "https://\(name.contains(":") ? "[\(name)]" : name):\(port)"
    }

    /// An address and a port, with brackets around an address of IPv6.
    ///
    /// A name has several addresses, of which only one would be listened at: localhost is `::1`, too.
    static func address(_ text: String) throws -> (host: String, port: Int) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ValidationError(metricsRule)
        }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(":") else {
            throw ValidationError(metricsRule)
        }
        let address = String(isBracketed ? host.dropFirst().dropLast() : host)
        guard NetworkRange.address(address) != nil else { throw ValidationError(metricsRule) }
        return (address, Int(port))
    }

    private static let metricsRule =
        "Measurements are read at address:port, such as 127.0.0.1:9464 or [::1]:9464; a name such as localhost is none."
}
