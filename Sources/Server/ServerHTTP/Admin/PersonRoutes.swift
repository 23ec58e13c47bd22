import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// People, and whose a device is.
struct PersonRoutes: Sendable {
    private static let one = "/people/{person}"
    private static let holder = "/devices/{device}/person"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/people", operation: "listPeople", summary: "The people, by user name.",
                query: QueryParameter.paging, answer: .json(.page(of: "Person")), service: .session(list)),
            AdminRoute(
                method: .post, path: "/people/import", operation: "importPeople",
                summary: """
                    Set all people of a table, or none of them when a line is refused. The columns are userName and any of a person's \
                    details; what has no column or an empty field stays as it was.
                    """,
                query: TableImport.query, body: .table, answer: .json(.named("PeopleImportAnswer")),
                service: .session(bring)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showPerson", summary: "One person, with their devices.",
                answer: .json(.named("Person")), service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "setPerson",
                summary: "Set a person, new or not; what is left out has no value any more.",
                body: .json(.named("PersonDetails")), answer: .json(.named("Person")), judgesConditions: true,
                service: .session(set)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "removePerson",
                summary: "Remove a person who has no device.", status: .noContent, judgesConditions: true,
                service: .session(remove)),
            AdminRoute(
                method: .get, path: Self.holder, operation: "showDevicePerson", summary: "Whose a device is.",
                answer: .json(.named("DevicePersonRequest")), service: .session(showHolder)),
            AdminRoute(
                method: .put, path: Self.holder, operation: "setDevicePerson",
                summary: "Say whose a device is.", body: .json(.named("DevicePersonRequest")), status: .noContent,
                service: .session(assign)),
            AdminRoute(
                method: .delete, path: Self.holder, operation: "removeDevicePerson",
                summary: "Take a device from its person.", status: .noContent, service: .session(unassign)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.people(call.page())) { AdminMessages.Person($0, devices: nil) }
    }

    private func bring(_ call: AdminCall) async throws -> Response {
        let wish = try await TableImport(of: call)
        let change = try await change(by: wish, author: call.session.administrator)
        return try AdminAnswer.json(
            PeopleImportAnswer(
                added: change.added, changed: change.changed.count, unchanged: change.unchanged,
                dryRun: wish.isDryRun))
    }

    private func change(by wish: TableImport, author: String) async throws -> PeopleChange {
        do {
            return try await management.importPeople(
                wish.table, removesEmpty: wish.removesEmpty, dryRun: wish.isDryRun, author: author
            ).get()
        } catch let partly as PartlyImported {
            throw HTTPProblem(
                .serviceUnavailable, "busy", "The store failed before the whole table was written; send it again",
                detail: "\(partly.kept) of \(partly.of) people were kept, from the beginning of the table.",
                headers: [.retryAfter: "5"])
        }
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let person = try await management.person(call.parameter("person")) else {
            throw HTTPProblem(.unknownPerson)
        }
        return try AdminAnswer.json(AdminMessages.Person(person, devices: person.devices))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let details = try await call.json(PersonDetails.self)
        let person = try await management.putPerson(
            PersonRecord(userName: call.parameter("person"), details: details.known), expected: expectation(of: call),
            author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.Person(person, devices: person.devices))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removePerson(
            call.parameter("person"), expected: expectation(of: call), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    /// What `If-Match` or `If-None-Match: *` says about the person who should be there; the change holds for that very one.
    ///
    /// A turn would not do: a table changes people, too.
    private func expectation(of call: AdminCall) async throws -> ExpectedPerson {
        let headers = call.request.headers
        if headers[.ifNoneMatch]?.trimmingCharacters(in: .whitespaces) == "*" { return .absent }
        guard let seen = headers[.ifMatch] else { return .any }
        guard let present = try await management.person(call.parameter("person")),
            AdminAnswer.tag(of: try AdminJSON.encode(AdminMessages.Person(present, devices: present.devices)))
                .isNamed(byIfMatch: seen)
        else { throw HTTPProblem.changed }
        return .present(present)
    }

    private func showHolder(_ call: AdminCall) async throws -> Response {
        guard let device = try await management.device(call.parameter("device")) else {
            throw HTTPProblem(.unknownDevice)
        }
        guard let person = device.person else { throw HTTPProblem(.unknownPerson) }
        return try AdminAnswer.json(DevicePersonRequest(userName: person))
    }

    private func assign(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(DevicePersonRequest.self)
        try await management.setPerson(
            wish.userName, ofDevice: call.parameter("device"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func unassign(_ call: AdminCall) async throws -> Response {
        try await management.setPerson(
            nil, ofDevice: call.parameter("device"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }
}

extension AdminMessages.Person {
    fileprivate init(_ kept: KeptPerson, devices: [String]?) {
        self.init(
            userName: kept.person.userName, details: PersonDetails(kept.person.details), modified: kept.modified,
            devices: devices)
    }
}

extension PersonDetails {
    fileprivate init(_ details: [PersonRecord.Detail: String]) {
        self.init(
            fullName: details[.fullName], firstName: details[.firstName], lastName: details[.lastName],
            email: details[.email], department: details[.department], principalName: details[.principalName],
            accountName: details[.accountName], distinguishedName: details[.distinguishedName],
            locale: details[.locale])
    }

    fileprivate var known: [PersonRecord.Detail: String] {
        let all: [PersonRecord.Detail: String?] = [
            .fullName: fullName, .firstName: firstName, .lastName: lastName, .email: email, .department: department,
            .principalName: principalName, .accountName: accountName, .distinguishedName: distinguishedName,
            .locale: locale,
        ]
        return all.compactMapValues { $0 }
    }
}
