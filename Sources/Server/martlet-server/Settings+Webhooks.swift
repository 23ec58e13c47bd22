import ArgumentParser
import Configuration
import Management
import NIOSSL

extension Settings {
    static func webhookPolicy(_ options: SettingOptions, _ reader: ConfigReader) throws -> AddressPolicy {
        let texts =
            options.webhookNetworks.isEmpty
            ? reader.stringArray(forKey: "webhookNetworks") ?? [] : options.webhookNetworks
        let networks = texts.compactMap { NetworkRange(parsing: $0) }
        guard texts.count <= 100 else {
            throw ValidationError(
                "At most 100 networks can be named with --webhook-network (webhookNetworks), not \(texts.count).")
        }
        return AddressPolicy(
            allowed: networks,
            allowsPlainHTTP: options.webhookPlainHTTP || reader.bool(forKey: "webhookPlainHTTP") ?? false)
    }

    func webhookRoots() throws -> [NIOSSLCertificate] {
        guard let webhookAuthority else { return [] }
        return try NamedFile(webhookAuthority, "--webhook-authority").certificates()
    }
}
