import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// Devices' attributes: of one device, and of many by a table.
struct AttributeRoutes: Sendable {
    private static let one = "/devices/{device}/attributes"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: Self.one, operation: "showDeviceAttributes",
                summary: "What administrators say of a device, such as its location.",
                answer: .json(.named("DeviceAttributes")), service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "setDeviceAttributes",
                summary: "Set all attributes of a device; what is left out is removed.",
                body: .json(.named("DeviceAttributes")), answer: .json(.named("DeviceAttributes")),
                judgesConditions: true, service: .session(set)),
            AdminRoute(
                method: .patch, path: Self.one, operation: "changeDeviceAttributes",
                summary: "Change a device's attributes in what is mentioned; `null` removes one.",
                body: .mergePatch(.named("DeviceAttributesPatch")), answer: .json(.named("DeviceAttributes")),
                judgesConditions: true, service: .session(change)),
            AdminRoute(
                method: .post, path: "/device-attributes/import", operation: "importDeviceAttributes",
                summary: """
                    Set attributes of all devices of a table, or of none when a line is refused. The column device has IDs or \
                    serial numbers, every other column is an attribute; what has no column or an empty field stays as it was. A \
                    text that is one device's ID and another's serial number is refused: id:… and serial:… name by one of both.
                    """,
                query: TableImport.query, body: .table, answer: .json(.named("AttributesImportAnswer")),
                service: .session(bring)),
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let present = try await management.attributes(of: call.parameter("device")) else {
            throw HTTPProblem(.unknownDevice)
        }
        return try AdminAnswer.json(DeviceAttributes(attributes: present.values))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(DeviceAttributes.self)
        return try await answer(call, .all(AttributeSet(wish.attributes)))
    }

    private func change(_ call: AdminCall) async throws -> Response {
        let patch = try await call.json(DeviceAttributesPatch.self)
        return try await answer(call, .mentioned(patch.attributes.mapValues(Self.amendment)))
    }

    private func answer(_ call: AdminCall, _ edit: AttributeEdit) async throws -> Response {
        let attributes = try await management.changeAttributes(
            edit, of: call.parameter("device"), expected: expectation(of: call), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(DeviceAttributes(attributes: attributes.values))
    }

    private static func amendment(_ patched: Patched<String>) -> Amendment<String> {
        switch patched {
        case .stays: .stays
        case .goes: .goes
        case .becomes(let text): .becomes(text)
        }
    }

    private func bring(_ call: AdminCall) async throws -> Response {
        let wish = try await TableImport(of: call)
        let made = try await management.importAttributes(
            wish.table, removesEmpty: wish.removesEmpty, dryRun: wish.isDryRun, author: call.session.administrator
        ).get()
        return try AdminAnswer.json(
            AttributesImportAnswer(changed: made.changed, unchanged: made.unchanged, dryRun: wish.isDryRun))
    }

    /// What `If-Match` or `If-None-Match: *` says about the attributes that should be there; the change holds for those.
    ///
    /// A turn would not do: a table changes them, too.
    private func expectation(of call: AdminCall) async throws -> AttributeSet? {
        let headers = call.request.headers
        // Of a device there always are attributes, if only none of them.
        if headers[.ifNoneMatch]?.trimmingCharacters(in: .whitespaces) == "*" { throw HTTPProblem.changed }
        guard let seen = headers[.ifMatch] else { return nil }
        guard let present = try await management.attributes(of: call.parameter("device")),
            AdminAnswer.tag(of: try AdminJSON.encode(DeviceAttributes(attributes: present.values)))
                .isNamed(byIfMatch: seen)
        else { throw HTTPProblem.changed }
        return present
    }
}

extension AdminSchemas {
    static let attributes: [String: Schema] = [
        "DeviceAttributes": .object([.required("attributes", .map(.string))]),
        "DeviceAttributesPatch": .object([.required("attributes", .map(.orNull(.string)))]),
        "AttributesImportAnswer": .object([
            .required("changed", .integer), .required("unchanged", .integer), .required("dryRun", .boolean),
        ]),
    ]
}
