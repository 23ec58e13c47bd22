package import Foundation

/// What an app may ask the agent that launched it.
package enum AppCall: Equatable, Sendable {
    /// The app's state now and whenever it changes; with `trials` the caller also tries configurations it is sent.
    case watchConfiguration(trials: Bool)

    /// What the app's decoder said.
    case reportConfiguration(ConfigurationOutcome)

    /// What the app's decoder said about a configuration that it only tried.
    case reportTrial(TrialOutcome)

    /// The identifiers of one kind of secret now and whenever something changes.
    case watchSecrets(SecretKind)

    /// One secret.
    case getSecret(SecretKind, identifier: String)

    /// A signature by an identity's key.
    case sign(SignRequest)

    /// The dictionary for the app's user defaults now and whenever it changes, and what is asked of its feedback.
    case watchDefaults

    /// The app's feedback as it is now.
    case putFeedback(FeedbackNote)

    /// The app's feedback, which the app has cleared and leaves to the agent.
    case handOverFeedback(FeedbackNote)

    /// The answer to the challenge of `VarlinkError.identificationNeeded`.
    case identify(answer: String)

    /// Asks for the agent's vendor and version, which every Varlink service gives.
    case information

    /// Asks for the description of an interface, which every Varlink service gives.
    case interfaceDescription(interface: String)

    /// Reads a call.
    package init(_ call: VarlinkCall) throws(VarlinkError) {
        switch call.method {
        case "dev.martlet.App.WatchConfiguration":
            guard call.more else { throw .expectedMore }
            self = .watchConfiguration(trials: try call.parametersIfPresent(Watch.self)?.trials ?? false)
        case "dev.martlet.App.ReportConfiguration":
            self = .reportConfiguration(try call.parameters(ConfigurationOutcome.self))
        case "dev.martlet.App.ReportTrial":
            self = .reportTrial(try call.parameters(TrialOutcome.self))
        case "dev.martlet.App.WatchSecrets":
            let kind = try call.parameters(Kind.self).kind
            guard call.more else { throw .expectedMore }
            self = .watchSecrets(kind)
        case "dev.martlet.App.Sign":
            let request = try call.parameters(SignRequest.self)
            guard request.identifier.utf8.count <= SecretKind.longestIdentifier,
                request.reference.utf8.count <= SignRequest.longestReference
            else { throw .invalidIdentifier }
            self = .sign(request)
        case "dev.martlet.Defaults.Watch":
            guard call.more else { throw .expectedMore }
            self = .watchDefaults
        case "dev.martlet.Defaults.PutFeedback":
            self = .putFeedback(try call.parameters(FeedbackNote.self))
        case "dev.martlet.Defaults.HandOver":
            self = .handOverFeedback(try call.parameters(FeedbackNote.self))
        case "dev.martlet.App.Identify":
            self = .identify(answer: try call.parameters(Identification.self).challenge)
        case "org.varlink.service.GetInfo":
            self = .information
        case "org.varlink.service.GetInterfaceDescription":
            self = .interfaceDescription(interface: try call.parameters(Interface.self).interface)
        default:
            guard let kind = SecretKind.allCases.first(where: { $0.method == call.method }) else {
                let interface = call.method.split(separator: ".").dropLast().joined(separator: ".")
                let known = AppInterface.names.contains(interface)
                throw known ? .methodNotFound(call.method) : .interfaceNotFound(interface)
            }
            let identifier = try call.parameters(Identifier.self).identifier
            guard identifier.utf8.count <= SecretKind.longestIdentifier else { throw .invalidIdentifier }
            self = .getSecret(kind, identifier: identifier)
        }
    }

    /// The bytes of the call, end included.
    package func encoded() -> Data {
        switch self {
        case .watchConfiguration(let trials):
            VarlinkCall.encode("dev.martlet.App.WatchConfiguration", Watch(trials: trials ? true : nil), more: true)
        case .reportConfiguration(let outcome):
            VarlinkCall.encode("dev.martlet.App.ReportConfiguration", outcome)
        case .reportTrial(let outcome):
            VarlinkCall.encode("dev.martlet.App.ReportTrial", outcome)
        case .watchSecrets(let kind):
            VarlinkCall.encode("dev.martlet.App.WatchSecrets", Kind(kind: kind), more: true)
        case .getSecret(let kind, let identifier):
            VarlinkCall.encode(kind.method, Identifier(identifier: identifier))
        case .sign(let request):
            VarlinkCall.encode("dev.martlet.App.Sign", request)
        case .watchDefaults:
            VarlinkCall.encode("dev.martlet.Defaults.Watch", Varlink.Nothing(), more: true)
        case .putFeedback(let note):
            VarlinkCall.encode("dev.martlet.Defaults.PutFeedback", note)
        case .handOverFeedback(let note):
            VarlinkCall.encode("dev.martlet.Defaults.HandOver", note)
        case .identify(let answer):
            VarlinkCall.encode("dev.martlet.App.Identify", Identification(challenge: answer))
        case .information:
            VarlinkCall.encode("org.varlink.service.GetInfo", Varlink.Nothing())
        case .interfaceDescription(let interface):
            VarlinkCall.encode("org.varlink.service.GetInterfaceDescription", Interface(interface: interface))
        }
    }

    private struct Watch: Codable { let trials: Bool? }
    private struct Kind: Codable { let kind: SecretKind }
    private struct Identification: Codable { let challenge: String }
    private struct Identifier: Codable { let identifier: String }
    private struct Interface: Codable { let interface: String }
}

/// The three kinds of secret, each with its own identifiers.
package enum SecretKind: String, CaseIterable, Codable, Sendable {
    case password, certificate, identity

    /// Identifiers are chosen by app developers; longer ones name nothing.
    static let longestIdentifier = 1_024

    var method: String {
        switch self {
        case .password: "dev.martlet.App.GetPassword"
        case .certificate: "dev.martlet.App.GetCertificate"
        case .identity: "dev.martlet.App.GetIdentity"
        }
    }
}
