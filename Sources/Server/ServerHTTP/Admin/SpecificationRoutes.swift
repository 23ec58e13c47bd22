import AdminMessages
import AppSpecification
import Foundation
import HTTPTypes
import Hummingbird
import JSONSchema
import Management

/// What apps publish for administrators, and what it says about configurations.
struct SpecificationRoutes: Sendable {
    private static let collection = "/apps/{app}/specifications"
    private static let one = collection + "/{version}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: Self.collection, operation: "listSpecifications",
                summary: "The versions of the app whose specifications are kept, the newest first.",
                query: QueryParameter.cutting, answer: .json(.page(of: "SpecificationSummary")), service: .session(list)
            ),
            AdminRoute(
                method: .get, path: Self.one, operation: "showSpecification",
                summary: "The specification of a version of the app: a JSON Schema with annotations.",
                answer: .json(.any), service: .session(show)),
            AdminRoute(
                method: .put, path: Self.one, operation: "setSpecification",
                summary: "Keep the app's specification for a version; configurations are then checked against it.",
                body: .json(.any), answer: .json(.named("SpecificationSummary")), service: .session(set)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "removeSpecification",
                summary: "Forget the specification of a version.", status: .noContent, service: .session(remove)),
            AdminRoute(
                method: .post, path: "/apps/{app}/configuration-check", operation: "checkConfiguration",
                summary: "Check a configuration against the app's specifications without keeping it.",
                query: [
                    QueryParameter(
                        name: "configuration", schema: .string,
                        summary: "The name under which it would be set: the devices that have this configuration count."
                    )
                ], body: .propertyList, answer: .json(.named("ConfigurationCheck")), isReading: true,
                service: .session(check)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let records = try await management.specifications(of: call.parameter("app")).get()
        return try AdminAnswer.list(records.map { SpecificationSummary($0) }, by: .specifications, call)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let document = try await management.specification(
            of: call.parameter("app"), version: call.parameter("version"))
        guard let document else { throw HTTPProblem(.unknownSpecification) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "no-store",
                .eTag: AdminAnswer.tag(of: document.bytes).text,
            ], body: ResponseBody(data: document.bytes))
    }

    private func set(_ call: AdminCall) async throws -> Response {
        let bytes = try await call.request.bytes(upTo: SpecificationLimits.bytes)
        let stored = try await management.putSpecification(
            bytes, of: call.parameter("app"), version: call.parameter("version"), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(SpecificationSummary(stored.record, warnings: stored.warnings))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeSpecification(
            of: call.parameter("app"), version: call.parameter("version"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func check(_ call: AdminCall) async throws -> Response {
        let bytes = try await call.request.bytes(upTo: call.limits.configurationBytes)
        let name = call.query("configuration")
        let judgement = try await management.judge(
            bytes, of: call.parameter("app"), toBe: name
        ).get()
        return try AdminAnswer.json(
            ConfigurationCheck(
                errors: judgement.errors.map(AdminMessages.Finding.init), warnings: judgement.warnings))
    }
}

extension SpecificationSummary {
    fileprivate init(_ record: SpecificationRecord, warnings: [String]? = nil) {
        self.init(
            version: record.version, sha256: record.sha256, size: record.size, author: record.author,
            added: record.added, package: record.package, warnings: warnings)
    }
}

extension AdminMessages.Finding {
    init(_ violation: ConfigurationViolation) {
        let finding = violation.finding
        let versions = violation.versions.map { AppVersionSummary(version: $0.version, devices: $0.devices) }
        self.init(
            path: finding.path.description, rule: finding.rule, message: finding.message,
            suggestion: finding.suggestion, versions: versions.isEmpty ? nil : versions,
            app: violation.app, severity: finding.severity == .warning ? .warning : nil)
    }
}
