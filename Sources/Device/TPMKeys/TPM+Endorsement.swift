package import Attestation
package import Foundation

extension TPM {
    /// The maker's certificate for the chip and the endorsement key it is for; some chips have no certificate.
    package func endorsement() async throws(TPMFailure) -> (certificate: Data?, publicArea: Data) {
        try await perform { connection throws(TPMFailure) in
            let (handle, publicArea) = try connection.endorsementKey()
            connection.flush(handle)
            return (try? connection.read(index: Self.certificateIndex).certificate, publicArea)
        }
    }

    /// Brings back the secret of a credential: possible only where both its keys are.
    package func activate(
        _ credential: TPMCredential, attestationKey: TPMKeyBlob
    ) async throws(TPMFailure) -> Data {
        try await perform { connection throws(TPMFailure) in
            let (endorsementKey, _) = try connection.endorsementKey()
            defer { connection.flush(endorsementKey) }
            return try connection.withLoaded(attestationKey) { handle throws(TPMFailure) in
                let session = try connection.endorsementSession()
                var writer = TPMWriter()
                writer.sized(credential.blob)
                writer.sized(credential.encryptedSeed)
                do throws(TPMFailure) {
                    var answer = try connection.run(
                        TPMCommand(
                            .activateCredential, handles: [handle, endorsementKey],
                            authorizations: [.emptyPassword, .policy(session: session)], parameters: writer.data)
                    ).parameters
                    return try answer.buffer()
                } catch {
                    connection.flush(session)
                    throw error
                }
            }
        }
    }

    // Where the certificate for the endorsement key of RSA-2048 lies.
    private static let certificateIndex: UInt32 = 0x01c0_0002
}

extension TPMConnection {
    func endorsementKey() throws(TPMFailure) -> (handle: UInt32, publicArea: Data) {
        var (handle, answer) = try run(
            TPMCommand(
                .createPrimary, handles: [TPMHierarchy.endorsement], authorizations: [.emptyPassword],
                parameters: TPMTemplate.creation(TPMTemplate.endorsementKey)))
        do throws(TPMFailure) {
            return (handle, try answer.buffer())
        } catch {
            flush(handle)
            throw error
        }
    }

    /// A policy session in which the endorsement hierarchy's password, which is empty, was given.
    func endorsementSession() throws(TPMFailure) -> UInt32 {
        var writer = TPMWriter()
        writer.sized(Data((0..<16).map { _ in UInt8.random(in: 0...255) }))
        writer.sized(Data())
        writer.integer(UInt8(1))
        writer.integer(TPMAlgorithm.null.rawValue)
        writer.integer(TPMHash.sha256.rawValue)
        let session = try run(
            TPMCommand(
                .startAuthSession, handles: [TPMHierarchy.none, TPMHierarchy.none], parameters: writer.data)
        ).handle
        var policy = TPMWriter()
        for _ in 0..<3 { policy.sized(Data()) }
        policy.integer(UInt32(0))
        do throws(TPMFailure) {
            _ = try run(
                TPMCommand(
                    .policySecret, handles: [TPMHierarchy.endorsement, session], authorizations: [.emptyPassword],
                    parameters: policy.data))
            return session
        } catch {
            flush(session)
            throw error
        }
    }
}

extension Data {
    /// The certificate at the beginning: the place it lies in may be longer.
    fileprivate var certificate: Data {
        guard count > 4, self[startIndex] == 0x30, self[startIndex + 1] == 0x82 else { return self }
        return prefix(4 + Int(self[startIndex + 2]) << 8 + Int(self[startIndex + 3]))
    }
}
