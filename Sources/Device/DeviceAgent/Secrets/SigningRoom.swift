package import AppMessages
package import Foundation
import Signatures
import Synchronization

/// Where signatures are made, away from the thread that serves the apps.
///
/// One after the other for each keeper of keys: a chip that is slow, or hangs, holds up nobody whose key is software.
package final class SigningRoom: Sendable {
    /// More than all apps of a device ask for at once; each connection waits for one.
    package static let mostWaiting = 128

    private let keyring: IdentityKeyring
    private let timeLimit: DispatchTimeInterval
    private let waiting = Mutex(0)
    private let software = DispatchQueue(label: "signing")
    private let hardware = DispatchQueue(label: "signing in hardware")

    package init(keyring: IdentityKeyring = IdentityKeyring(), timeLimit: DispatchTimeInterval = .seconds(20)) {
        self.keyring = keyring
        self.timeLimit = timeLimit
    }

    /// Opens the identity, holds it against the request and signs; answers once, elsewhere.
    package func sign(
        _ request: SignRequest, open: @escaping @Sendable () throws -> SecretContent,
        answer: @escaping @Sendable (Result<Data, VarlinkError>) -> Void
    ) {
        let isAdmitted = waiting.withLock { waiting in
            guard waiting < Self.mostWaiting else { return false }
            waiting += 1
            return true
        }
        guard isAdmitted else { return answer(.failure(.internalError)) }
        let once = OneAnswer(answer)
        DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit) { once.give(.failure(.internalError)) }
        software.async { [self] in
            do {
                guard case .identity(let identity) = try open(), identity.reference == request.reference else {
                    throw VarlinkError.invalidIdentifier
                }
                guard let keeper = keyring.keeper(of: identity.key) else { throw VarlinkError.internalError }
                let queue = keeper.isHardware ? hardware : nil
                finish(on: queue, once) { () throws(SigningRefusal) in
                    try keeper.sign(request.data, request.algorithm, with: identity.key)
                }
            } catch {
                once.give(.failure(Self.error(error)))
                leave()
            }
        }
    }

    private func finish(
        on queue: DispatchQueue?, _ once: OneAnswer, _ sign: @escaping @Sendable () throws(SigningRefusal) -> Data
    ) {
        let work = { @Sendable [self] in
            // Nobody waits for what comes too late.
            if !once.isGiven { once.give(Result(catching: sign).mapError(Self.error)) }
            leave()
        }
        if let queue { queue.async(execute: work) } else { work() }
    }

    private func leave() { waiting.withLock { $0 -= 1 } }

    private static func error(_ error: any Error) -> VarlinkError {
        switch error {
        case let error as VarlinkError: error
        // Withdrawn since it was asked for.
        case StoreRefusal.blobMissing: .invalidIdentifier
        case SigningRefusal.algorithm: .invalidParameter("algorithm")
        default: .internalError
        }
    }
}

/// Passes on the first of several answers.
private final class OneAnswer: Sendable {
    private let answer: Mutex<(@Sendable (Result<Data, VarlinkError>) -> Void)?>

    init(_ answer: @escaping @Sendable (Result<Data, VarlinkError>) -> Void) { self.answer = Mutex(answer) }

    var isGiven: Bool { answer.withLock { $0 == nil } }

    func give(_ result: Result<Data, VarlinkError>) {
        let waiting = answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
        waiting?(result)
    }
}
