package import DeviceMessages
import Foundation
package import InputBounds

/// `com.apple.configuration.security.certificate`: the roots that managed apps trust beside those of the system.
package enum RootCertificatesSystem: HeldSystem {
    /// A root that a declaration asks for.
    package struct Request: Equatable, Sendable {
        package let declaration: String
        package let asset: String
    }

    /// A root that is trusted.
    package struct Root: Codable, Equatable, Sendable {
        package let declaration: String
        package let root: RootCertificate
    }

    /// Far more than a fleet has; each is a few kilobytes of the agent's state.
    package static let mostRoots = 64

    package static let name = "root-certificates"
    package static let configurations = [CertificateConfiguration.type]
    package static let statusItems = [CertificateListItem.name]
    package static let nothing: [Request] = []

    package static func serving(_ applied: Applied) -> Set<String> {
        Set((applied.systems[Self.self] ?? []).map(\.declaration))
    }

    package static func judge(
        _ declaration: Declaration, in set: JudgedSet, _ desired: inout [Request]
    ) -> Judgment {
        guard let asset = try? declaration.read(CertificateConfiguration.self).asset else {
            return .invalid(.about(declaration, "Error.InvalidPayload"))
        }
        guard let type = set.declarations[asset]?.type else { return .invalid(.missing([asset], of: declaration)) }
        guard type == CredentialAsset.Kind.certificate.rawValue else {
            return .invalid(
                .because("Error.ConfigurationIsInvalid", "the asset of a certificate is not one of its kind"))
        }
        guard desired.count < mostRoots else {
            return .invalid(
                .because("Error.ConfigurationCannotBeApplied", "this device takes at most \(mostRoots) roots"))
        }
        desired.append(Request(declaration: declaration.identifier, asset: asset))
        return .valid(.unknownKeys(CertificateConfiguration.self, declaration))
    }

    package static func assets(of desired: [Request]) -> Set<String> { Set(desired.map(\.asset)) }

    /// One that cannot be had keeps the root it had; one that was had and is no root withdraws it.
    package static func settle(
        _ desired: [Request], _ had: HadAssets, previous: Applied, in applied: inout Applied
    ) {
        let before = previous.systems[Self.self] ?? []
        var roots: [Root] = []
        for request in desired {
            let held = before.first { $0.declaration == request.declaration }
            guard let digest = applied.secrets[request.asset]?.digest else {
                applied.invalidate(request.declaration, .because(unapplied, "its asset cannot be had"))
                if let held { roots.append(held) }
                continue
            }
            guard let bytes = had.content(digest), case .certificate(let der)? = try? SecretContent(parsing: bytes)
            else {
                applied.invalidate(request.declaration, .because(unapplied, "its asset holds no certificate"))
                continue
            }
            do {
                roots.append(Root(declaration: request.declaration, root: try RootCertificate(der, now: had.now)))
            } catch {
                applied.invalidate(request.declaration, .because(unapplied, error.sentence))
            }
        }
        applied.systems[Self.self] = roots.isEmpty ? nil : roots
    }

    private static let unapplied = "Error.ConfigurationCannotBeApplied"

    package static func within(_ held: [Root], _ meant: [Root]) -> [Root]? {
        let left = held.filter { root in meant.contains { $0.declaration == root.declaration } }
        return left.isEmpty ? nil : left
    }

    package static func status(of applied: Applied) -> [String: JSONValue] {
        let items = (applied.systems[Self.self] ?? []).map { root in
            CertificateListItem(
                identifier: root.root.certificate.digest, declarationIdentifier: root.declaration,
                subjectSummary: root.root.summary, certificate: root.root.certificate
            ).value
        }
        return [CertificateListItem.name: .array(items)]
    }
}
