import AdminMessages
import DeviceMessages
import Foundation
import Hummingbird
import Management

/// Configurations that apps on devices try before anybody is given them.
struct TrialRoutes: Sendable {
    private static let collection = "/devices/{device}/apps/{app}/configuration-trials"

    private static let part = QueryParameter(
        name: "extension", schema: .string, summary: "The app's extension that is meant.")

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .post, path: Self.collection, operation: "tryConfiguration",
                summary: "Have an app that runs on the device decode a property list, and use nothing of it.",
                query: [
                    Self.part,
                    QueryParameter(
                        name: "timeout", schema: .whole(1...600),
                        summary: "After so many seconds it is taken back, 1 to 600; 60 without it."),
                ], body: .propertyList, status: .created, answer: .json(.named("ConfigurationTrial")),
                service: .session(begin)),
            AdminRoute(
                method: .get, path: Self.collection + "/{uuid}", operation: "showConfigurationTrial",
                summary: "What came of a trial; a refusal with what the app publishes about its code.",
                query: [Self.part], answer: .json(.named("ConfigurationTrial")), service: .session(show)),
        ]
    }

    private func begin(_ call: AdminCall) async throws -> Response {
        guard let seconds = Int(call.query("timeout") ?? "60"), (1...600).contains(seconds) else {
            throw HTTPProblem(.badRequest, "invalid", "The parameter “timeout” is a number of seconds from 1 to 600")
        }
        try await requireReach(of: call)
        let bytes = try await call.request.bytes(upTo: call.limits.configurationBytes)
        let (trial, judgement) = try await management.beginTrial(
            bytes, by: subject(of: call),
            on: call.parameter("device"), within: seconds, author: call.session.administrator
        ).get()
        var answer = AdminMessages.ConfigurationTrial(trial)
        answer.check = ConfigurationCheck(
            errors: judgement.errors.map(AdminMessages.Finding.init), warnings: judgement.warnings)
        return try AdminAnswer.json(answer, status: .created)
    }

    /// An owner of the app may try it only on devices to which they may give it.
    private func requireReach(of call: AdminCall) async throws {
        let rights = call.session.rights
        guard let device = try await management.device(call.parameter("device")) else {
            throw HTTPProblem(.unknownDevice)
        }
        guard rights.reach(deviceIn: device.groups) else { throw HTTPProblem.notAllowed(rights) }
    }

    private func subject(of call: AdminCall) throws -> TrialSubject {
        TrialSubject(app: try call.parameter("app"), extension: call.query("extension"))
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let found = try await management.trial(
            call.parameter("uuid"), by: subject(of: call), on: call.parameter("device"))
        guard let trial = found else { throw HTTPProblem(.unknownCommand) }
        return try AdminAnswer.json(AdminMessages.ConfigurationTrial(trial))
    }
}

extension AdminMessages.ConfigurationTrial {
    fileprivate init(_ trial: Trial) {
        self.init(id: trial.uuid, state: .waiting, expires: trial.expires)
        switch trial.state {
        case .waiting: break
        case .running: state = .running
        case .expired: state = .expired
        case .cancelled: state = .cancelled
        case .failed: state = .failed
        case .unsupportedDevice: (state, reason) = (.untried, .unsupportedDevice)
        case .missingValues(let names): (state, reason, missing) = (.untried, .missingValues, names)
        case .ended(.accepted): state = .accepted
        case .ended(.untried(let obstacle)): (state, reason) = (.untried, TrialReason(rawValue: obstacle.rawValue))
        case .ended(.refused(let refusal)):
            state = .refused
            self.refusal = AdminMessages.TrialRefusal(
                code: refusal.code, message: refusal.message, keyPath: refusal.keyPath,
                keyPathSupplied: refusal.keyPathSupplied, type: refusal.type,
                explanation: trial.explanation.map(AdminMessages.RefusalExplanation.init))
        }
    }
}
