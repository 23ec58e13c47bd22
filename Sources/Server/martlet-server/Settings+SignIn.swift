import ArgumentParser
import Configuration
import Foundation
import Management
import OpenIDConnect
import ServerHTTP

/// The settings of the sign-in; files are read when the server starts.
struct SignInSettings: Sendable {
    let issuer: String
    let client: String
    let secretFile: String?
    let roles: String
    let authority: String?
    let scopes: [String]

    init?(_ options: SettingOptions, _ reader: ConfigReader) throws {
        func text(_ option: String?, _ key: ConfigKey) -> String? { option ?? reader.string(forKey: key) }
        let known = text(options.oidcClient, "oidcClient")
        let file = text(options.oidcRoles, "oidcRoles")
        guard let issuer = text(options.oidcIssuer, "oidcIssuer") else {
            guard known == nil, file == nil else {
                throw ValidationError(
                    "A client (--oidc-client, oidcClient) and its roles (--oidc-roles, oidcRoles) belong to an issuer: "
                        + "name it with --oidc-issuer or oidcIssuer.")
            }
            return nil
        }
        guard let client = known, let roles = file else {
            throw ValidationError(
                "The issuer \(issuer) needs --oidc-client and --oidc-roles (oidcClient, oidcRoles): name both.")
        }
        (self.issuer, self.client, self.roles) = (issuer, client, roles)
        secretFile = text(options.oidcSecretFile, "oidcSecretFile")
        authority = text(options.oidcAuthority, "oidcAuthority")
        scopes = (text(options.oidcScopes, "oidcScopes") ?? "openid email profile").split(separator: " ").map(
            String.init)
    }

    /// What the server signs people in with.
    func parts(baseURL: String) throws -> MartletServer.SignIn {
        let rules: SignInRules
        do {
            rules = try SignInRules(parsing: NamedFile(roles, "--oidc-roles").bytes())
        } catch let invalid as InvalidSignInRules {
            throw Refusal(rule: "\(roles) (--oidc-roles) is refused: \(invalid.reason)")
        }
        let secret = try secretFile.map { path in
            String(decoding: try NamedFile(path, "--oidc-secret-file").bytes(), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
        }
        guard secret?.isEmpty != true else {
            throw Refusal(rule: "\(secretFile ?? "") (--oidc-secret-file) is empty: it must hold the client's secret")
        }
        let roots = try authority.map { try NamedFile($0, "--oidc-authority").certificates() }
        return MartletServer.SignIn(
            provider: OpenIDProvider(
                issuer: issuer, client: client, secret: secret, redirect: baseURL + MartletServer.SignIn.callback,
                scopes: scopes, roots: roots), rules: rules)
    }
}
