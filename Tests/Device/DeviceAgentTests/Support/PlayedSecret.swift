import CertificateAuthority
import Crypto
import DeviceMessages
import Foundation
import SCEP

/// A secret as the played server describes and serves it.
struct PlayedSecret: Sendable {
    let kind: CredentialAsset.Kind
    let identifier: String
    var document: Data
    var contentType: String
    var token = "1"
    /// A false description of the document, if there is one.
    var described: DataAsset?

    init(_ kind: CredentialAsset.Kind, _ identifier: String, _ document: Data, token: String = "1") {
        (self.kind, self.identifier, self.document, self.token) = (kind, identifier, document, token)
        contentType = kind.mediaTypes[0]
    }

    static func password(_ identifier: String, _ password: String, token: String = "1") -> PlayedSecret {
        let document = UserNameAndPassword(userName: "jane", password: password).encoded()
        return PlayedSecret(.userNameAndPassword, identifier, document, token: token)
    }

    func declaration(_ base: String) -> Declaration {
        var document = described ?? DataAsset(dataURL: "", contentType: kind.mediaTypes[0])
        document.dataURL = base + "/credential/" + identifier
        return CredentialAsset(kind, document: document)
            .declaration(identifier: "secret." + identifier, serverToken: token)
    }

    static func config(_ secrets: [PlayedSecret], data: String) -> AppConfig {
        func list(_ kinds: Set<CredentialAsset.Kind>) -> [AppConfig.Secret] {
            secrets.filter { kinds.contains($0.kind) }.map {
                AppConfig.Secret(identifier: $0.identifier, assetReference: "secret." + $0.identifier)
            }
        }
        return AppConfig(
            dataAssetReference: data, passwords: list([.userNameAndPassword]),
            identities: list([.identity, .scep, .acme]), certificates: list([.certificate]))
    }
}

/// The played server's certificate authority, over SCEP.
enum PlayedAuthority {
    static func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        do {
            let authority = try ScriptedServer.authority.get()
            let scep = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
            if request.path.contains("GetCACert") { return .reply(200, body: scep.caCertificate) }
            if request.path.contains("GetCACaps") {
                return .reply(200, body: Data("AES\nPOSTPKIOperation\nSHA-256\nSCEPStandard\n".utf8))
            }
            let asked = try scep.open(pkiMessage: request.body, allowLegacy: false)
            guard asked.csr.challengePassword == "one-time" else {
                return .reply(200, body: try scep.failure(asked, .badRequest))
            }
            let issued = try authority.issueDevice(
                publicKeyDER: asked.csr.publicKeyDER, commonName: asked.csr.subjectCN ?? "", notBefore: Date(),
                notAfter: Date() + Authority.deviceValidity)
            return .reply(200, body: try scep.success(asked, certificateDER: issued))
        } catch {
            return .reply(500)
        }
    }
}
