import AppMessages
import DeviceMessages

extension AppConfig {
    /// The secrets it names, kind by kind, each in the order of the administrator.
    var secretRequests: [AppsSystem.SecretRequest] {
        [(SecretKind.password, passwords), (.certificate, certificates), (.identity, identities)].flatMap {
            kind, secrets in
            secrets.map {
                AppsSystem.SecretRequest(kind: kind, identifier: $0.identifier, asset: $0.assetReference)
            }
        }
    }

    /// Which rule about its assets it breaks, if one; every asset it refers to is among `all`.
    fileprivate func brokenRule(among all: [String: Declaration]) -> String? {
        if let data = dataAssetReference, all[data]?.type != DataAsset.type {
            return "the asset of a configuration is not a data asset"
        }
        for request in secretRequests where !request.kind.allows(all[request.asset]?.type) {
            return "the asset of a \(request.kind.rawValue) is not one of its kind"
        }
        for kind in SecretKind.allCases {
            let names = secretRequests.filter { $0.kind == kind }.map { Array($0.identifier.utf8) }
            if Set(names).count != names.count { return "two secrets of a kind have the same identifier" }
        }
        return nil
    }
}

extension AppManagedConfiguration {
    /// Which rule about its assets it breaks, if one; every asset it refers to is among `all`.
    func brokenRule(among all: [String: Declaration]) -> String? {
        if let defaults = legacyAppConfigAssetReference, all[defaults]?.type != DataAsset.type {
            return "the asset of the user defaults' dictionary is not a data asset"
        }
        let extensions = extensionConfigs.sorted { $0.key < $1.key }.map(\.value)
        return ((appConfig.map { [$0] } ?? []) + extensions).lazy.compactMap { $0.brokenRule(among: all) }.first
    }
}

extension SecretKind {
    /// Whether an asset of this type can be such a secret.
    fileprivate func allows(_ type: String?) -> Bool {
        switch type.flatMap(CredentialAsset.Kind.init) {
        case .userNameAndPassword: self == .password
        case .certificate: self == .certificate
        case .identity, .scep, .acme: self == .identity
        case nil: false
        }
    }
}
