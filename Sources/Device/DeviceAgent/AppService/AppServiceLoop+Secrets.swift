import AppMessages
import Foundation
import Logging

/// Secrets, handed only to the app whose configuration names them.
///
/// Each request is judged by itself: by who sent it, how sure that is, and by what the app may have at that moment.
extension AppServiceLoop {
    /// A secret as a file has it.
    func content(_ kind: SecretKind, _ identifier: String, for connection: AppConnection) throws -> Data {
        AppFolder.bytes(of: try context.secret(try entry(kind, identifier, for: connection).digest))
    }

    /// The reply that holds a secret.
    func secret(_ kind: SecretKind, _ identifier: String, for connection: AppConnection) throws -> Data {
        let entry = try entry(kind, identifier, for: connection)
        do {
            switch try context.secret(entry.digest) {
            case .password(let password): return Varlink.reply(PasswordReply(password))
            case .certificate(let certificate): return Varlink.reply(CertificateReply(certificate))
            case .identity(let identity): return Varlink.reply(IdentityReply(identity))
            }
        } catch StoreRefusal.blobMissing {
            // Withdrawn a moment ago; the news is on its way to this thread.
            throw VarlinkError.invalidIdentifier
        } catch {
            context.log.error("a secret cannot be read", metadata: ["why": "\(error)"])
            throw VarlinkError.internalError
        }
    }

    /// Has a signature made elsewhere; the connection waits for it.
    func sign(_ request: SignRequest, for connection: AppConnection, _ token: UInt64) throws {
        let entry = try entry(.identity, request.identifier, for: connection)
        connection.signing = entry
        context.signingRoom.sign(request, for: connection.process.record.identity.app) { [context] in
            try context.secret(entry.digest)
        } answer: { [inbox] result in
            inbox.signed(result, for: token)
        }
    }

    /// Hands over a signature, if the app is still there and may still have it.
    func signed(_ result: Result<Data, VarlinkError>, for token: UInt64) {
        guard case .app(let connection)? = endpoints[token], let entry = connection.signing else { return }
        connection.signing = nil
        guard connection.isAlive else { return drop(token) }
        let isStillIts = (try? self.entry(.identity, entry.identifier, for: connection)) == entry
        switch isStillIts ? result : .failure(.invalidIdentifier) {
        case .success(let signature): write(Varlink.reply(SignatureReply(signature)), connection, token)
        case .failure(let error): write(Varlink.reply(error), connection, token)
        }
        guard endpoints[token] != nil else { return }
        _ = answer(connection, token)
    }

    private func entry(
        _ kind: SecretKind, _ identifier: String, for connection: AppConnection
    ) throws(VarlinkError) -> AppSecrets.Entry {
        // Before the agent has read its store, it cannot state that a secret is missing.
        guard let states, connection.isAlive else { throw .internalError }
        let identity = connection.process.record.identity
        let state = states[identity]
        let secrets = state.secrets
        if secrets.names(kind, identifier), connection.needsProof(for: state), !connection.speaksHTTP {
            throw connection.challengeNumber(Self.challenge())
        }
        if secrets.names(kind, identifier), state.withholds(from: connection.trust) {
            refuse(.withheld, "secrets were withheld from an app that is not trusted enough", connection.process)
            throw .secretsWithheld
        }
        if let digest = secrets.digest(kind, identifier) {
            return AppSecrets.Entry(kind, identifier, digest: digest)
        }
        switch secrets.absence(kind, identifier) {
        case .server: throw .serverError
        case .device: throw .internalError
        case nil:
            if states.isRelatives(kind, identifier, of: identity) {
                refuse(.notItsOwn, "an app asked for a secret of its extension, or the reverse", connection.process)
            }
            throw .invalidIdentifier
        }
    }
}

extension IdentityReply {
    /// The reply about an identity: everything but the key.
    init(_ identity: StoredIdentity) {
        self.init(
            certificates: identity.certificates, keyType: identity.key.type, keySize: identity.key.size,
            reference: identity.reference, hardwareBound: identity.hardwareBound, attested: identity.attested)
    }
}
