import DeviceMessages
import InputBounds

/// The result of an activation's predicate: whether the activation is in effect, and what the device reports of it.
struct PredicateResult: Equatable, Sendable {
    /// Whether the configurations of the activation apply.
    let isActive: Bool
    /// Whether the device understood the predicate and had what it asks for.
    let isSound: Bool
    /// Why the activation is not in effect.
    let reason: StatusReason?

    /// In effect, as an activation without a predicate is.
    static let active = PredicateResult(isActive: true, isSound: true, reason: nil)

    private static let isFalse = "Info.Predicate"
    private static let isUnknown = "Error.UnableToEvaluatePredicate"
    private static let isUnread = "Error.UnableToParsePredicate"

    /// Unknown items that a report names at most.
    private static let named = 32

    /// Judges the predicate of an activation.
    init(_ activation: SimpleActivation, _ declaration: Declaration, by facts: PredicateFacts) {
        guard let text = activation.predicate else {
            self = .active
            return
        }
        func inactive(_ code: String, _ sentence: String? = nil, unknown items: [String] = []) -> StatusReason {
            var details = ["Predicate": JSONValue.string(text)]
            if !items.isEmpty { details["UnknownItems"] = .array(items.map { .string($0) }) }
            var reason = StatusReason.about(declaration, code, details)
            reason.description = sentence
            return reason
        }
        let predicate: ActivationPredicate
        do throws(ActivationPredicate.Refusal) {
            predicate = try ActivationPredicate(text)
        } catch {
            self.init(isActive: false, isSound: false, reason: inactive(Self.isUnread, error.sentence))
            return
        }
        switch predicate.answer(facts) {
        case .holds: self = .active
        case .fails: self.init(isActive: false, isSound: true, reason: inactive(Self.isFalse))
        case .undecided(let gaps):
            let unknown = gaps.compactMap(\.item?.text).sorted().prefix(Self.named)
            self.init(
                isActive: false, isSound: false,
                reason: inactive(Self.isUnknown, Self.sentence(gaps), unknown: Array(unknown)))
        }
    }

    private init(isActive: Bool, isSound: Bool, reason: StatusReason?) {
        self.isActive = isActive
        self.isSound = isSound
        self.reason = reason
    }

    private static func sentence(_ gaps: Set<ActivationPredicate.Gap>) -> String {
        if gaps.contains(where: { $0.item != nil }) {
            return "The predicate asks for items that this device does not know."
        }
        return gaps.contains(.kinds)
            ? "The predicate compares values of kinds that cannot be compared this way."
            : "Evaluating the predicate takes more work than the device allows."
    }

    /// Whether a reason is about a predicate.
    static func isAboutPredicate(_ reason: StatusReason) -> Bool {
        [isFalse, isUnknown, isUnread].contains(reason.code)
    }
}

extension ActivationPredicate.Gap {
    fileprivate var item: ActivationPredicate.Item? {
        if case .unknown(let item) = self { item } else { nil }
    }
}

extension AgentState {
    /// Whether the result of a predicate has changed since the declarations were evaluated.
    ///
    /// It follows from the stored state alone, so an agent that was restarted or upgraded since notices it, too.
    func hasChangedPredicateResults(_ facts: DeviceFacts) -> Bool {
        let known = PredicateFacts(declarations.all, status: StatusItems.device(self, facts))
        return declarations.all.values.contains { declaration in
            guard let verdict = applied.verdicts[declaration.identifier],
                let activation = try? declaration.read(SimpleActivation.self), activation.predicate != nil
            else { return false }
            let result = PredicateResult(activation, declaration, by: known)
            return result.reason != verdict.reasons.first(where: PredicateResult.isAboutPredicate)
        }
    }
}
