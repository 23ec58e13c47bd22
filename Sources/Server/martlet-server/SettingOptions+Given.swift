import ServiceManager

extension SettingOptions {
    /// The options that were given, by which the settings of all sources are judged alike; flags cannot be wrong.
    func given(with place: PlaceOptions) -> [ServiceSettings.GivenOption] {
        let texts: [(name: String, member: String, text: String?)] = [
            ("--data-directory", "dataDirectory", place.dataDirectory),
            ("--host", "host", host), ("--port", "port", port.map { "\($0)" }), ("--url", "url", url),
            ("--organization", "organization", organization),
            ("--endorsement-roots", "endorsementRoots", endorsementRoots),
            ("--apple-attestation-roots", "appleAttestationRoots", appleAttestationRoots),
            ("--enrollment-identity", "enrollmentIdentity", enrollmentIdentity),
            ("--enrollment-lifetime", "enrollmentLifetime", enrollmentLifetime?.text),
            ("--identity-lifetime", "identityLifetime", identityLifetime?.text),
            ("--expired-grace", "expiredGrace", expiredGrace?.text),
            ("--sign-in-lifetime", "signInLifetime", signInLifetime?.text),
            ("--audit-days", "auditDays", auditDays.map { "\($0)" }),
            ("--status-reports-per-minute", "statusReportsPerMinute", statusReportsPerMinute.map { "\($0)" }),
            ("--certificate-file", "certificateFile", certificateFile), ("--key-file", "keyFile", keyFile),
            ("--oidc-issuer", "oidcIssuer", oidcIssuer), ("--oidc-client", "oidcClient", oidcClient),
            ("--oidc-secret-file", "oidcSecretFile", oidcSecretFile), ("--oidc-roles", "oidcRoles", oidcRoles),
            ("--oidc-authority", "oidcAuthority", oidcAuthority), ("--oidc-scopes", "oidcScopes", oidcScopes),
            ("--webhook-authority", "webhookAuthority", webhookAuthority),
            ("--push-service", "pushService", pushService), ("--push-authority", "pushAuthority", pushAuthority),
            ("--metrics", "metrics", metrics), ("--log-level", "logLevel", logLevel),
            ("--log-format", "logFormat", logFormat),
        ]
        // Each has one text of a list.
        let lists =
            hostnames.map { ServiceSettings.GivenOption("--hostname", "hostnames", $0) }
            + webhookNetworks.map { ServiceSettings.GivenOption("--webhook-network", "webhookNetworks", $0) }
        return texts.compactMap { name, member, text -> ServiceSettings.GivenOption? in
            guard let text else { return nil }
            return ServiceSettings.GivenOption(name, member, text)
        } + lists
    }
}
