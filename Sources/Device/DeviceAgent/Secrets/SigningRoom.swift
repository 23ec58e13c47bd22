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
    /// More than one app asks for at once, however many processes it has.
    package static let mostOfApp = 16

    private struct Request {
        let app: String
        let answer: OneAnswer
        let deadline: DispatchTime
    }

    private struct State {
        var requests: [Request] = []
        var isTimed = false
    }

    private let keyring: IdentityKeyring
    private let timeLimit: DispatchTimeInterval
    private let state = Mutex(State())
    private let software = DispatchQueue(label: "signing")
    private let hardware = DispatchQueue(label: "signing in hardware")

    package init(keyring: IdentityKeyring = IdentityKeyring(), timeLimit: DispatchTimeInterval = .seconds(20)) {
        self.keyring = keyring
        self.timeLimit = timeLimit
    }

    /// Opens the identity, holds it against the request and signs; answers once, elsewhere.
    package func sign(
        _ request: SignRequest, for app: String, open: @escaping @Sendable () throws -> SecretContent,
        answer: @escaping @Sendable (Result<Data, VarlinkError>) -> Void
    ) {
        let once = OneAnswer(answer)
        guard admit(once, of: app) else { return once.give(.failure(.internalError)) }
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
                leave(once)
            }
        }
    }

    private func finish(
        on queue: DispatchQueue?, _ once: OneAnswer, _ sign: @escaping @Sendable () throws(SigningRefusal) -> Data
    ) {
        let work = { @Sendable [self] in
            // Nobody waits for what comes too late.
            if !once.isGiven { once.give(Result(catching: sign).mapError(Self.error)) }
            leave(once)
        }
        if let queue { queue.async(execute: work) } else { work() }
    }

    private func admit(_ answer: OneAnswer, of app: String) -> Bool {
        let deadline = DispatchTime.now() + timeLimit
        let (isAdmitted, isFirst) = state.withLock { state in
            guard state.requests.count < Self.mostWaiting,
                state.requests.count(where: { $0.app == app }) < Self.mostOfApp
            else { return (false, false) }
            state.requests.append(Request(app: app, answer: answer, deadline: deadline))
            defer { state.isTimed = true }
            return (true, !state.isTimed)
        }
        if isFirst { giveUp(at: deadline) }
        return isAdmitted
    }

    private func leave(_ answer: OneAnswer) { state.withLock { $0.requests.removeAll { $0.answer === answer } } }

    // One timer for all: one for each would outlast thousands of signatures.
    private func giveUp(at deadline: DispatchTime) {
        DispatchQueue.global().asyncAfter(deadline: deadline) { [self] in
            let (due, next) = state.withLock { state in
                let open = state.requests.filter { !$0.answer.isGiven }
                let next = open.first { $0.deadline > deadline }
                state.isTimed = next != nil
                return (open.filter { $0.deadline <= deadline }, next)
            }
            for request in due { request.answer.give(.failure(.internalError)) }
            if let next { giveUp(at: next.deadline) }
        }
    }

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
