import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management

/// The routes of device management: check-in with its declarative requests, the command loop, assets.
struct DeviceRoutes: Sendable {
    let management: Management
    let authentication: DeviceAuthentication
    let attestationKeys: AttestationKeys
    let wake: WakeRoute
    /// How a person signs in again.
    let signIn: SignInChallenge
    let limits: ServerLimits
    let traffic: Traffic
    let refusals = RefusalLog()

    func add(to router: Router<MartletContext>) {
        router.put("/mdm/checkin") { try await answering($0, $1, checkIn) }
        router.put("/mdm/command") { try await answering($0, $1, command) }
        router.get("/mdm/assets/{sha256}") { try await answering($0, $1, asset) }
        router.get("/mdm/credentials/{name}/{version}") { try await answering($0, $1, credential) }
        router.post("/mdm/attestation/keys") { try await answering($0, $1, attestationKey) }
        router.post("/mdm/attestation/activation") { try await answering($0, $1, attestationActivation) }
        router.get("/mdm/wake") { try await answering($0, $1, wake.answer) }
    }

    /// Turns every refusal into an answer that devices understand.
    func answering(
        _ request: Request, _ context: MartletContext,
        _ serve: (Request, MartletContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await serve(request, context)
        } catch let problem as DeviceProblem {
            return answer(problem, context)
        } catch let refusal as InputRefusal {
            return answer(DeviceProblem(.badRequest, rule: refusal.rule), context)
        } catch BodyRefusal.tooLarge {
            return answer(DeviceProblem(.contentTooLarge, rule: "a device message has a bound"), context)
        } catch is StoreOverload {
            return answer(
                DeviceProblem(.serviceUnavailable, rule: "the store has too many writes waiting"), context)
        }
    }

    private func answer(_ problem: DeviceProblem, _ context: MartletContext) -> Response {
        problem.response(context: context, traffic: traffic, log: refusals, signIn: signIn)
    }

    private func checkIn(_ request: Request, _ context: MartletContext) async throws -> Response {
        try authentication.requireCredential(request, context)
        let body = try await request.bytes(upTo: limits.deviceMessageBytes)
        let reading = try CheckInMessage.read(body)
        let message = reading.value
        let enrollment = message.identifier
        let signer = try await authentication.signer(of: request, context, body: body, enrollment: enrollment?.id)
        note(reading.oddities, of: enrollment, in: traffic.oddCheckIns, context)
        if case .getBootstrapToken = message, signer.signed == nil,
            context.peer.certificate?.fingerprint != signer.fingerprint
        {
            throw DeviceProblem.freshnessNeeded(enrollment: enrollment?.key)
        }
        let sent =
            message.takesEffectOnce
            ? signer.signed.map { time in
                TakenMessages.Message(body, by: signer.fingerprint, signed: time)
            } : nil
        if let sent, let enrollment, authentication.taken.holds(sent) {
            return try await answerAgain(enrollment, signer.fingerprint, request)
        }
        switch try await management.checkIn(message, signer: signer.fingerprint, showing: request.bearerToken) {
        case .done:
            if let sent { authentication.taken.keep(sent) }
            return Self.empty
        case .document(let document): return Self.json(document)
        case .propertyList(let document):
            if let sent { authentication.taken.keep(sent) }
            return Self.propertyList(document)
        case .unmanagedUser: return Response(status: .gone)
        case .notFound: return Response(status: .notFound)
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: enrollment?.key)
        }
    }

    /// The answer to a message that took effect before: the answer was lost, or somebody else sends it again.
    private func answerAgain(
        _ enrollment: EnrollmentIdentifier, _ signer: Data, _ request: Request
    ) async throws -> Response {
        switch try await management.judge(enrollment, signer: signer, showing: request.bearerToken) {
        case .accepted: return Self.empty
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: enrollment.key)
        }
    }

    private func command(_ request: Request, _ context: MartletContext) async throws -> Response {
        try authentication.requireCredential(request, context)
        let body = try await request.bytes(upTo: limits.deviceMessageBytes)
        let report = try CommandReport(parsing: body)
        let signer = try await authentication.signerInGrace(
            of: request, context, body: body, enrollment: report.identifier.id)
        note(report.oddities, of: report.identifier, in: traffic.oddResults, context)
        let answer =
            signer.isExpired
            ? try await management.exchangeRenewal(report, signer: signer.fingerprint)
            : try await management.exchange(report, signer: signer.fingerprint, showing: request.bearerToken)
        note(report, answer, context)
        switch answer {
        case .command(let document): return Self.propertyList(document)
        case .nothing: return Self.empty
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: report.identifier.key)
        }
    }

    /// One line for each result and each delivery: what an administrator searches for when a command seems lost.
    private func note(_ report: CommandReport, _ answer: CommandAnswer, _ context: MartletContext) {
        guard context.logger.logLevel <= .info else { return }
        let enrollment = LogText(peer: report.identifier.key).text
        if case .refused = answer { return }
        if let uuid = report.commandUUID {
            context.logger.info(
                "command answered",
                metadata: [
                    "enrollment": "\(enrollment)", "command": "\(LogText(peer: uuid).text)",
                    "status": "\(report.status.rawValue)",
                ])
        }
        if case .command(let document) = answer, let command = try? Command(parsing: document) {
            context.logger.info(
                "command delivered",
                metadata: [
                    "enrollment": "\(enrollment)", "command": "\(command.uuid)", "type": "\(command.requestType)",
                ])
        }
    }

    /// Counts a message that was read only in part, and says so in the log if there is room for it.
    private func note(
        _ oddities: Oddities, of enrollment: EnrollmentIdentifier?, in count: Count, _ context: MartletContext
    ) {
        guard let first = oddities.first.first else { return }
        count.add(1)
        guard let leftOut = refusals.admit(enrollment?.key) else { return }
        context.logger.notice(
            "device message read in part",
            metadata: [
                "rule": "\(first.rule)", "places": "\(oddities.count)", "leftOut": "\(leftOut)",
                "enrollment": "\(enrollment.map { LogText(peer: $0.key).text } ?? "unknown")",
            ])
    }

    private func asset(_ request: Request, _ context: MartletContext) async throws -> Response {
        let signer = try authentication.downloader(of: request, context)
        let device: DeviceContext
        switch try await management.judge(signer: signer, showing: request.bearerToken) {
        case .accepted(let found): device = found
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: nil)
        }
        let digest = try context.parameters.require("sha256")
        guard let asset = try await management.asset(sha256: digest, for: device) else {
            throw DeviceProblem(.notFound, rule: "an asset is in the device's manifest", enrollment: device.key)
        }
        let tag = EntityTag(digest.lowercased())
        if tag.isNamed(byIfNoneMatch: request.headers[.ifNoneMatch]) {
            return Response(status: .notModified, headers: [.eTag: tag.text])
        }
        return Response(
            status: .ok, headers: [.contentType: asset.mediaType, .eTag: tag.text, .cacheControl: "private, no-store"],
            body: ResponseBody(data: asset.bytes))
    }

    private static let empty = Response(status: .ok)

    private static func propertyList(_ document: Data) -> Response {
        Response(status: .ok, headers: [.contentType: MediaType.propertyList], body: ResponseBody(data: document))
    }

    private static func json(_ document: Data) -> Response {
        Response(status: .ok, headers: [.contentType: MediaType.json], body: ResponseBody(data: document))
    }
}

extension CheckInMessage {
    /// Whether an older message that is sent again would set something back, or bring out what is kept: it begins an
    /// enrollment, says how its device is woken, or is about the bootstrap token.
    fileprivate var takesEffectOnce: Bool {
        switch self {
        case .authenticate, .tokenUpdate, .setBootstrapToken, .getBootstrapToken: true
        default: false
        }
    }
}
