import AdminMessages
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// Commands to one device, and what it answered.
struct CommandRoutes: Sendable {
    private static let collection = "/devices/{device}/commands"
    private static let one = collection + "/{uuid}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: Self.collection, operation: "listCommands",
                summary: "A device's commands, oldest first.", query: QueryParameter.paging,
                answer: .json(.page(of: "CommandSummary")), service: .session(list)),
            AdminRoute(
                method: .post, path: Self.collection, operation: "sendCommand",
                summary: """
                    Queue a command: its type and parameters, or its property list. One that asks, restarts or locks is for \
                    who helps devices, too; every other for who manages them. What concerns the whole device is not sent to \
                    one that belongs to a person. A configuration in it is checked against the app's specification.
                    """,
                query: [
                    QueryParameter(
                        name: "force", schema: .boolean,
                        summary: """
                            Send a configuration although the app on the device refuses it, or a value looks like a \
                            secret.
                            """)
                ],
                body: .jsonOrPropertyList(.named("CommandRequest")), status: .created,
                answer: .json(.named("CommandSummary")), service: .session(send)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showCommand",
                summary: "A command with what the device answered.", answer: .json(.named("CommandDetail")),
                service: .session(show)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "removeCommand",
                summary: """
                    Take back a command, which is not sent (again), or forget a finished one. Who may send it may do so.
                    """,
                status: .noContent,
                service: .session(remove)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let page = try await management.commands(of: call.parameter("device"), call.page()).get()
        return try AdminAnswer.page(page, CommandSummary.init)
    }

    private func send(_ call: AdminCall) async throws -> Response {
        let request = try await Self.request(of: call)
        let sent = try await management.send(
            request, to: call.parameter("device"), isForced: call.flag("force"), author: call.session.administrator
        ).get()
        var summary = CommandSummary(sent.command)
        summary.warnings = sent.warnings.isEmpty ? nil : sent.warnings
        return try AdminAnswer.json(summary, status: .created)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let command = try await management.command(call.parameter("uuid"), of: call.parameter("device"))
        guard let command else { throw HTTPProblem(.unknownCommand) }
        return try AdminAnswer.json(CommandDetail(command))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        if let command = try await management.command(call.parameter("uuid"), of: call.parameter("device")) {
            try call.require(CommandRule.of(command.requestType).permission)
        }
        try await management.removeCommand(
            call.parameter("uuid"), of: call.parameter("device"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    /// The inner dictionary of a command from a body of either form, of somebody who may send it.
    static func request(of call: AdminCall) async throws -> PropertyListValue {
        let body = try await call.request.bytes(upTo: call.limits.adminBodyBytes)
        let isJSON = call.request.headers[.contentType].map(RequestForm.mediaType) == "application/json"
        let request = isJSON ? try Self.request(json: body) : try Self.request(propertyList: body)
        try call.require(CommandRule.of(request["RequestType"]?.string ?? "").permission)
        return request
    }

    /// The inner dictionary of a command from its type and parameters.
    private static func request(json body: Data) throws(HTTPProblem) -> PropertyListValue {
        let wish = try AdminBody.decode(CommandRequest.self, from: body, as: .named("CommandRequest"))
        do {
            var members: [String: PropertyListValue] = [:]
            if let parameters = wish.parameters {
                guard let found = try PropertyListValue(json: JSONValue(parameters)).dictionary else {
                    throw HTTPProblem(.unprocessableContent, "invalid", "A command's parameters are an object.")
                }
                members = found
            }
            members["RequestType"] = .string(wish.requestType)
            return .dictionary(members)
        } catch let problem as HTTPProblem {
            throw problem
        } catch let refusal as InputRefusal {
            throw HTTPProblem(.unprocessableContent, "invalid", "The parameters fit no command", detail: refusal.rule)
        } catch {
            throw HTTPProblem(.unprocessableContent, "invalid", "The parameters fit no command")
        }
    }

    /// The inner dictionary itself, or the one inside a whole command.
    private static func request(propertyList body: Data) throws(HTTPProblem) -> PropertyListValue {
        do {
            let value = try PropertyListValue(parsing: body, limits: .message)
            return value["Command"] ?? value
        } catch {
            throw HTTPProblem(
                .badRequest, "invalid", "The body is not an acceptable property list", detail: error.rule)
        }
    }
}

extension CommandSummary {
    init(_ command: QueuedCommand) {
        self.init(
            uuid: command.uuid, requestType: command.requestType, state: command.word, queued: command.created,
            updated: command.finished ?? command.sent)
    }
}

extension CommandDetail {
    fileprivate init(_ command: QueuedCommand) {
        let report = command.result.flatMap { try? CommandReport(parsing: $0) }
        let odd = report?.oddities.first.map { CommandOddity(place: $0.place, rule: $0.rule) } ?? []
        self.init(
            uuid: command.uuid, requestType: command.requestType, state: command.word, queued: command.created,
            updated: command.finished ?? command.sent,
            answer: report.flatMap { Self.answer(of: $0, tooLarge: command.resultTooLarge) },
            errorChain: (report?.errorChain ?? []).map { item in
                CommandError(domain: item.domain, code: item.code, description: item.localizedDescription)
            }, oddities: odd.isEmpty ? nil : odd)
    }

    /// The answer without the protocol's own keys; dates and data as texts.
    private static func answer(of report: CommandReport, tooLarge: Bool) -> JSON? {
        let own: Set = ["Status", "CommandUUID", "ErrorChain", "UDID", "EnrollmentID", "UserID", "EnrollmentUserID"]
        let members = (report.contents.dictionary ?? [:]).filter { !own.contains($0.key) }
        return members.isEmpty ? nil : .object(members.mapValues(JSON.init))
    }
}

extension QueuedCommand {
    fileprivate var word: CommandState {
        switch state {
        case .queued: deferred ? .notNow : .queued
        case .sent: deferred ? .notNow : .sent
        case .acknowledged: .acknowledged
        case .error: .error
        case .commandFormatError: .commandFormatError
        case .dropped: .cancelled
        case .retired: .retired
        }
    }
}
