import AppMessages
import DeviceMessages
import InputBounds

/// What an app holds of its secrets: each stands for itself.
extension AppsSystem {
    /// Gives the app and its extensions the secrets that are here, and notes each that is not, with its reason.
    ///
    /// One whose newer version cannot be had keeps the older value until the newer one is here; one that the declaration no
    /// longer names is withdrawn at once.
    static func takeSecrets(
        of request: Request, _ failures: [String: AppSecrets.Absence.Place], for app: inout AppliedApp,
        in applied: inout Applied, previous: Applied
    ) {
        let before = previous.apps[request.bundleIdentifier]
        var missing: Set<String> = []
        func take(
            _ requests: [SecretRequest], of name: String?, after old: [AppSecrets.Entry]
        ) -> (entries: [AppSecrets.Entry], absences: [AppSecrets.Absence]) {
            var (entries, absences): ([AppSecrets.Entry], [AppSecrets.Absence]) = ([], [])
            for secret in requests {
                if applied.verdicts[secret.asset]?.valid == .valid, let found = applied.secrets[secret.asset] {
                    entries.append(AppSecrets.Entry(secret.kind, secret.identifier, digest: found.digest))
                    continue
                }
                missing.insert(secret.asset)
                var code = AppStatus.secretUnavailable
                if let older = previous.secrets[secret.asset], let entry = old.first(where: secret.names),
                    entry.digest == older.digest
                {
                    applied.secrets[secret.asset] = older
                    entries.append(entry)
                    code = AppStatus.secretNotUpdated
                } else {
                    let place = failures[secret.asset] ?? .device
                    absences.append(AppSecrets.Absence(secret.kind, secret.identifier, place))
                }
                app.note(code, secret, of: name, because: applied.failure(of: secret.asset))
            }
            return (entries, absences)
        }
        (app.secrets, app.absences) = take(request.secrets, of: nil, after: before?.secrets ?? [])
        for (name, requests) in request.extensionSecrets.sorted(by: { $0.key < $1.key }) {
            let (entries, absences) = take(requests, of: name, after: before?.extensionSecrets[name] ?? [])
            app.extensionSecrets[name] = entries
            if !absences.isEmpty { app.extensionAbsences[name] = absences }
        }
        guard !missing.isEmpty else { return }
        // The protocol calls a configuration valid only if all of its assets are.
        let list = JSONValue.array(missing.sorted().map(JSONValue.string))
        let sentence = "The configuration is applied without the newest versions of these secrets."
        let details: [String: JSONValue] = [
            "Identifier": .string(request.declarationIdentifier), "AssetIdentifiers": list,
            "ServerToken": .string(applied.verdicts[request.declarationIdentifier]?.serverToken ?? ""),
        ]
        applied.invalidate(
            request.declarationIdentifier,
            StatusReason(code: StatusReason.missingAssets, description: sentence, details: .object(details)))
    }
}

extension AppliedApp {
    /// The most secrets of an app whose absence its status explains; the status of their assets tells of all.
    private static let mostExplained = 50

    /// Goes on with the configurations that served before.
    mutating func keepConfiguration(of before: AppliedApp?, because reason: StatusReason?) {
        configuration = before?.configuration
        defaults = before?.defaults
        extensions = before?.extensions ?? [:]
        let rest = before?.configuration == nil ? "the app has none" : "the previous one serves"
        reasons.append(
            StatusReason(
                code: AppStatus.configurationNotApplied,
                description: "The device could not apply the newest configuration; \(rest).",
                details: Self.details([:], because: reason)))
    }

    /// Goes on with the secrets that served before and that the declaration still names.
    mutating func keepSecrets(of before: AppliedApp?, namedBy request: AppsSystem.Request) {
        guard let before else { return }
        secrets = before.secrets.filter { old in request.secrets.contains { $0.names(old) } }
        extensionSecrets = before.extensionSecrets.reduce(into: [:]) { kept, old in
            guard let named = request.extensionSecrets[old.key] else { return }
            kept[old.key] = old.value.filter { entry in named.contains { $0.names(entry) } }
        }
    }

    fileprivate mutating func note(
        _ code: String, _ secret: AppsSystem.SecretRequest, of name: String?, because reason: StatusReason?
    ) {
        guard reasons.count < Self.mostExplained else { return }
        var details = ["Kind": JSONValue.string(secret.kind.rawValue), "Identifier": .string(secret.identifier)]
        if let name { details["Extension"] = .string(ComposedIdentifier(name).bundle) }
        let sentence =
            code == AppStatus.secretNotUpdated
            ? "The device could not get the newest version of a secret; the older one serves."
            : "The device could not get a secret; the app does not have it."
        reasons.append(
            StatusReason(code: code, description: sentence, details: Self.details(details, because: reason)))
    }

    private static func details(_ known: [String: JSONValue], because reason: StatusReason?) -> JSONValue {
        var details = known
        if let reason {
            details["Reason"] = .string(reason.code)
            if let error = reason.details?["Error"] { details["Error"] = error }
        }
        return .object(details)
    }
}

extension AppsSystem.SecretRequest {
    func names(_ entry: AppSecrets.Entry) -> Bool {
        kind == entry.kind && identifier.utf8.elementsEqual(entry.identifier.utf8)
    }
}
