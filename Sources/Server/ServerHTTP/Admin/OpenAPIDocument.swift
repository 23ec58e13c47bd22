import Foundation
import HTTPTypes
import InputBounds

/// The description of the administrator's API in OpenAPI 3.1, written from the table of routes.
enum OpenAPIDocument {
    static func document(of routes: [AdminRoute]) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for (path, operations) in Dictionary(grouping: routes, by: \.path) {
            paths[path] = .object(
                Dictionary(
                    uniqueKeysWithValues: operations.map { ($0.method.rawValue.lowercased(), operation($0)) }))
        }
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("Martlet administrator's API"), "version": .string("1"),
                "description": .string("What `martlet` and every other administrator's program calls."),
            ]),
            "servers": .array([.object(["url": .string("/api/v1")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(AdminSchemas.all.mapValues(\.json)),
                "securitySchemes": .object([
                    "session": .object(["type": .string("http"), "scheme": .string("bearer")])
                ]),
            ]),
        ])
    }

    private static func operation(_ route: AdminRoute) -> JSONValue {
        var parameters = route.parameters.map { name in
            parameter(name, in: "path", required: true, schema: .string, summary: nil)
        }
        parameters += route.query.map {
            parameter($0.name, in: "query", required: false, schema: $0.schema, summary: $0.summary)
        }
        var operation: [String: JSONValue] = [
            "operationId": .string(route.operation), "summary": .string(route.summary),
            "responses": .object([
                "\(route.status.code)": answer(route.answer),
                "default": .object([
                    "description": .string("Refused; says which rule."),
                    "content": content("application/problem+json", .named("Problem")),
                ]),
            ]),
        ]
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body { operation["requestBody"] = request(body) }
        if case .open = route.service {
        } else {
            operation["security"] = .array([.object(["session": .array([])])])
        }
        return .object(operation)
    }

    private static func parameter(
        _ name: String, in place: String, required: Bool, schema: Schema, summary: String?
    ) -> JSONValue {
        var object: [String: JSONValue] = [
            "name": .string(name), "in": .string(place), "required": .boolean(required), "schema": schema.json,
        ]
        if let summary { object["description"] = .string(summary) }
        return .object(object)
    }

    private static func request(_ body: AdminRoute.Body) -> JSONValue {
        var forms: [String: JSONValue] = [:]
        switch body {
        case .json(let schema): forms = ["application/json": form(schema)]
        case .propertyList: forms = propertyListForms
        case .bytes: forms = ["application/octet-stream": form(.any)]
        case .table: forms = ["text/csv": form(.string)]
        case .jsonOrPropertyList(let schema):
            forms = propertyListForms.merging(["application/json": form(schema)]) { first, _ in first }
        }
        return .object(["required": .boolean(true), "content": .object(forms)])
    }

    private static let propertyListForms: [String: JSONValue] = [
        "application/xml": form(.any), "application/x-plist": form(.any),
    ]

    private static func answer(_ answer: AdminRoute.Answer) -> JSONValue {
        switch answer {
        case .nothing: .object(["description": .string("Done.")])
        case .json(let schema):
            .object(["description": .string("The answer."), "content": content("application/json", schema)])
        case .propertyList:
            .object(["description": .string("The property list."), "content": .object(propertyListForms)])
        }
    }

    private static func content(_ mediaType: String, _ schema: Schema) -> JSONValue {
        .object([mediaType: form(schema)])
    }

    private static func form(_ schema: Schema) -> JSONValue {
        .object(["schema": schema.json])
    }
}
