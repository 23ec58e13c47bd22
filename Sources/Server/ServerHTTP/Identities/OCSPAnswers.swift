import CertificateAuthority
package import Foundation
import Synchronization

/// Signed answers about one certificate each, kept for everybody who asks the same, and a bound on all signatures.
///
/// What becomes of the certificate is looked up at each question; a signature is made when it changed, or when the one
/// before is half through its time. So cost follows certificates and revocations, and questions cost a look.
final class OCSPAnswers: Sendable {
    /// The validity of an answer: a server that staples one cannot hide a revocation for longer.
    static let validity: TimeInterval = 600
    /// It is given out for half of that, so that nobody gets one that is about to end.
    private static let kept: TimeInterval = validity / 2
    /// Answers of some 600 bytes.
    private static let capacity = 20_000

    /// An answer, and until when it may be shown.
    struct Answer: Sendable {
        let bytes: Data
        let made: Date
        /// Good for everybody who asks the same.
        let isCommon: Bool
    }

    private struct Kept {
        let answer: Answer
        let status: OCSPStatus
    }

    private let authority: Authority
    private let answers = Mutex<[Data: Kept]>([:])
    /// Questions whose answers can be kept, and those that ask for a signature of their own, do not wait for each other.
    private let common: Mutex<SignatureBudget>
    private let single: Mutex<SignatureBudget>
    /// One address gets half of them at most.
    private let byAddress: PeerRate

    init(authority: Authority, perSecond: Int) {
        self.authority = authority
        common = Mutex(SignatureBudget(perSecond: perSecond))
        single = Mutex(SignatureBudget(perSecond: perSecond))
        byAddress = PeerRate(perNetwork: perSecond * 5, window: .seconds(10))
    }

    /// The answer to a question; nothing when too many signatures were asked for in the last second.
    func answer(
        _ request: OCSPRequest, _ statuses: [OCSPStatus], for peer: PeerNetwork, now: Date
    ) throws -> Answer? {
        // What is not known has no end of names: answers about it are not kept.
        guard request.isCommon, let asked = request.certificates.first, let status = statuses.first,
            status != .unknown
        else { return try sign(request, statuses, isCommon: false, for: peer, by: single, now: now) }
        let known = answers.withLock { $0[asked.encoded] }
        if let known, known.status == status, (0..<Self.kept).contains(now.timeIntervalSince(known.answer.made)) {
            return known.answer
        }
        guard let answer = try sign(request, statuses, isCommon: true, for: peer, by: common, now: now) else {
            return nil
        }
        answers.withLock { answers in
            if answers.count >= Self.capacity { answers = [:] }
            answers[asked.encoded] = Kept(answer: answer, status: status)
        }
        return answer
    }

    private func sign(
        _ request: OCSPRequest, _ statuses: [OCSPStatus], isCommon: Bool, for peer: PeerNetwork,
        by budget: borrowing Mutex<SignatureBudget>, now: Date
    ) throws -> Answer? {
        guard byAddress.admits(peer), budget.withLock({ $0.takes(now: now) }) else { return nil }
        let bytes = try authority.answer(request, statuses, now: now, nextUpdate: now + Self.validity)
        return Answer(bytes: bytes, made: now, isCommon: isCommon)
    }
}

/// So many signatures a second, and as many at once after a quiet second.
package struct SignatureBudget {
    private let perSecond: Double
    private var left: Double
    private var counted: Date?

    package init(perSecond: Int) {
        self.perSecond = Double(perSecond)
        left = Double(perSecond)
    }

    package mutating func takes(now: Date) -> Bool {
        // A clock that was set back gives nothing.
        let passed = counted.map { max(0, now.timeIntervalSince($0)) } ?? 0
        counted = now
        left = min(perSecond, left + passed * perSecond)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
