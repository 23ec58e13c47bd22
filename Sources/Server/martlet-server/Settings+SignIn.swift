import ArgumentParser
import Configuration
import Foundation
import Management
import NIOSSL
import OpenIDConnect
import ServerHTTP

/// The settings of the sign-in; files are read when the server starts.
struct SignInSettings: Sendable {
    private static let largestFile = 1 << 20

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
                throw ValidationError("A client and its roles belong to an issuer: --oidc-issuer.")
            }
            return nil
        }
        guard OpenIDProvider.isIssuer(issuer) else {
            throw ValidationError("The issuer is an https URL without query and fragment.")
        }
        guard let client = known, (1...255).contains(client.utf8.count), let roles = file else {
            throw ValidationError("To sign in at an issuer, --oidc-client and --oidc-roles are needed.")
        }
        (self.issuer, self.client, self.roles) = (issuer, client, roles)
        secretFile = text(options.oidcSecretFile, "oidcSecretFile")
        authority = text(options.oidcAuthority, "oidcAuthority")
        scopes = (text(options.oidcScopes, "oidcScopes") ?? "openid email profile").split(separator: " ").map(
            String.init)
        guard scopes.contains("openid"), scopes.count <= 32 else {
            throw ValidationError("One of the scopes is openid.")
        }
    }

    /// What the server signs people in with.
    func parts(baseURL: String) throws -> MartletServer.SignIn {
        let rules: SignInRules
        do {
            rules = try SignInRules(parsing: Self.read(roles, "roles"))
        } catch let invalid as InvalidSignInRules {
            throw Refusal(rule: "the file of roles is refused: \(invalid.reason)")
        }
        let secret = try secretFile.map { path in
            String(decoding: try Self.read(path, "client's secret"), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
        }
        guard secret?.isEmpty != true else { throw Refusal(rule: "the file of the client's secret is empty") }
        let roots = try authority.map { path in
            do {
                return try NIOSSLCertificate.fromPEMBytes(Array(Self.read(path, "issuer's authorities")))
            } catch is NIOSSLError {
                throw Refusal(rule: "the file of the issuer's authorities is not PEM")
            }
        }
        return MartletServer.SignIn(
            provider: OpenIDProvider(
                issuer: issuer, client: client, secret: secret, redirect: baseURL + MartletServer.SignIn.callback,
                scopes: scopes, roots: roots), rules: rules)
    }

    private static func read(_ path: String, _ what: String) throws -> Data {
        guard let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: largestFile + 1),
            bytes.count <= largestFile
        else { throw Refusal(rule: "the file of the \(what) cannot be read") }
        return bytes
    }
}
