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
        guard networks.count == texts.count, texts.count <= 100 else {
            throw ValidationError("A network is an address and the length of its prefix, such as 10.1.0.0/16.")
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
