import AppMessages
import AppSpecification
import DeviceAgent
import Foundation
import InputBounds
import Synchronization

/// A secret of the developer's for which the app does not ask.
struct UnaskedSecret: Equatable {
    let kind: String
    let identifier: String
    let fault: SecretFault
}

extension DevelopmentAgent {
    /// Says for which of its secrets the app does not ask, if its specification lists some.
    ///
    /// An app may also ask under an identifier that its configuration tells it.
    func noteUnaskedSecrets() {
        let target = options.target
        let unasked = state.withLock { state -> [UnaskedSecret] in
            let asked = state.specification?.of(target)?.secrets ?? []
            let configuration = state.desk.deployed[target].flatMap { deployed in
                try? PropertyListValue(parsing: deployed.bytes, limits: .configuration)
            }
            let found = state.secrets.names.entries.compactMap { entry -> UnaskedSecret? in
                guard let kind = SpecifiedSecret.Kind(rawValue: entry.kind.rawValue),
                    let fault = SecretFault.of(kind, entry.identifier, among: asked),
                    fault.rule != SecretFault.unknown || configuration?.holds(entry.identifier) != true
                else { return nil }
                return UnaskedSecret(kind: kind.rawValue, identifier: entry.identifier, fault: fault)
            }
            let said = state.unasked
            state.unasked = found
            return found.filter { !said.contains($0) }
        }
        for secret in unasked {
            var event = DevelopmentEvent(.finding, at: Date())
            event.file = options.secrets.map { ($0 as NSString).lastPathComponent }
            event.severity = "warning"
            event.rule = secret.fault.rule
            event.message = "\(secret.kind) \(secret.identifier): \(secret.fault.message)"
            event.suggestion = secret.fault.suggestion
            say(event)
        }
    }
}
