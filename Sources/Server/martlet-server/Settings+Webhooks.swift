import ArgumentParser
import Configuration
import Management
import NIOSSL

/// What the operator lets webhooks reach: administrators name them, and must not reach through the server what they could
/// not reach themselves.
struct WebhookOptions: ParsableArguments {
    @Option(
        name: .customLong("webhook-network"), parsing: .singleValue,
        help: ArgumentHelp(
            "A network that is not public and that webhooks may reach, such as 10.1.0.0/16; more than once if need be.",
            valueName: "network"))
    var webhookNetworks: [String] = []

    @Flag(help: "Let events go over http to these networks; to this machine itself they may then anyway.")
    var webhookPlainHTTP = false

    @Option(help: "A PEM file with authorities that are trusted for webhooks beside the system's.")
    var webhookAuthority: String?
}

extension Settings {
    static func webhookPolicy(_ options: WebhookOptions, _ reader: ConfigReader) throws -> AddressPolicy {
        let texts =
            options.webhookNetworks.isEmpty
            ? reader.stringArray(forKey: "webhookNetworks") ?? [] : options.webhookNetworks
        let networks = texts.compactMap { NetworkRange(parsing: $0) }
        guard networks.count == texts.count, texts.count <= 100 else {
            throw ValidationError("A network is an address and the length of its prefix, such as 10.1.0.0/16.")
        }
        return AddressPolicy(
            allowed: networks,
            allowsPlainHTTP: options.webhookPlainHTTP || reader.bool(forKey: "webhookPlainHTTP") ?? false)
    }

    func webhookRoots() throws -> [NIOSSLCertificate] {
        guard let webhookAuthority else { return [] }
        guard let found = try? NIOSSLCertificate.fromPEMFile(webhookAuthority), !found.isEmpty else {
            throw Refusal(rule: "the authorities for webhooks are certificates in PEM")
        }
        return found
    }
}
