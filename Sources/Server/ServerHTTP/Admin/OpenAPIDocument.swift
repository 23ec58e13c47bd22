import AdminMessages
import Foundation
import HTTPTypes
import InputBounds

/// The description of the administrator's API in OpenAPI 3.1, written from the table of routes.
enum OpenAPIDocument {
    static func document(of routes: [AdminRoute]) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for (path, operations) in Dictionary(grouping: routes, by: \.path) {
            // Keys: ours.
            paths[path] = .object(
                Dictionary(
                    uniqueKeysWithValues: operations.map {
                        ($0.method.rawValue.lowercased(), operation($0, twin: $0.twin(in: operations)))
                    }))
        }
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("Martlet administrator's API"), "version": .string("1"),
                "description": .string(introduction),
            ]),
            "servers": .array([.object(["url": .string("/api/v1")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(AdminSchemas.all.mapValues(\.json)), "responses": .object(refusals),
                "securitySchemes": .object([
                    "session": .object(["type": .string("http"), "scheme": .string("bearer")])
                ]),
            ]),
        ])
    }

    private static func operation(_ route: AdminRoute, twin: AdminRoute?) -> JSONValue {
        var parameters = route.parameters.map { name in
            parameter(name, in: "path", required: true, schema: .string, summary: nil)
        }
        parameters += route.query.map {
            parameter($0.name, in: "query", required: $0.isRequired, schema: $0.schema, summary: $0.summary)
        }
        parameters +=
            (route.headers + route.conditions(twin: twin).map(\.header) + (route.takesKey ? [idempotencyKey] : []))
            .map(parameter)
        var responses = ["\(route.status.code)": answer(route.answer, OpenAPIHeaders.fields(of: route))]
        if route.method == .get, route.hasEntityTag {
            responses["304"] = .object([
                "description": .string("It is still what `If-None-Match` names."),
                "headers": .object(OpenAPIHeaders.fields(of: route)),
            ])
        }
        for status in route.refusals {
            responses["\(status.code)"] = .object(["$ref": .string("#/components/responses/\(name(of: status.code))")])
        }
        var operation: [String: JSONValue] = [
            "operationId": .string(route.operation), "summary": .string(route.summary),
            "responses": .object(responses),
        ]
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body { operation["requestBody"] = request(body) }
        if case .open = route.service {
        } else {
            operation["security"] = .array([.object(["session": .array([])])])
        }
        return .object(operation)
    }

    private static let introduction = """
        What `martlet` and every other administrator's program calls.

        Every refusal is a problem of RFC 9457 whose `type` is stable. A path that is here answers a method that is not with \
        405 and `Allow`, any other path 404. A parameter that is not described is refused with 400, as is one that is given twice; \
        a body of another kind with 415. What follows this description is never answered 400: what it says may still be \
        refused by a rule, with 422. `Accept` is not looked at.

        What is looked at has an `ETag`. With it in `If-None-Match` it is answered again only if it is another; with it in \
        `If-Match` a change holds for what was seen, and `If-None-Match: *` for what is not there yet: otherwise 412 says who was \
        quicker. A tag that was seen before a backup was put back names nothing afterwards. No change demands a \
        condition. `PUT` says all of a thing: what it leaves out is not there afterwards. `PATCH` says what changes, as a merge \
        patch (RFC 7396): what it leaves out stays, `null` takes it away, and where nothing is there it is made. A change with an `Idempotency-Key` may be sent again: it is made once.
        """

    private static let idempotencyKey = HeaderParameter(
        name: "Idempotency-Key", value: .matching("^[!-~]{1,255}$"), isRequired: false,
        summary: "Names the request, so that it may be sent again: it is done once, and answered alike for a day.")

    private static func parameter(_ header: HeaderParameter) -> JSONValue {
        .object([
            "name": .string(header.name), "in": .string("header"), "required": .boolean(header.isRequired),
            "description": .string(header.summary),
            "schema": .object(schema(of: header.value)),
        ])
    }

    private static func schema(of value: HeaderParameter.Value) -> [String: JSONValue] {
        switch value {
        case .any: ["type": .string("string")]
        case .matching(let pattern): ["type": .string("string"), "pattern": .string(pattern)]
        case .only(let word): ["type": .string("string"), "enum": .array([.string(word)])]
        }
    }

    // Keys: ours.
    private static let refusals = Dictionary(
        uniqueKeysWithValues: RefusalMeaning.all.map { code, meaning in
            (
                name(of: code),
                JSONValue.object(
                    [
                        "description": .string(meaning),
                        "content": content("application/problem+json", .named("Problem")),
                    ].merging(OpenAPIHeaders.fields(ofRefusal: code).map { ["headers": .object($0)] } ?? [:]) { $1 })
            )
        })

    private static func name(of code: Int) -> String { "Refusal\(code)" }

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
        case .mergePatch(let schema):
            forms = ["application/merge-patch+json": form(schema), "application/json": form(schema)]
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

    private static func answer(_ answer: AdminRoute.Answer, _ fields: [String: JSONValue]) -> JSONValue {
        let (description, content) = shape(of: answer)
        var object: [String: JSONValue] = ["description": .string(description)]
        if let content { object["content"] = content }
        if !fields.isEmpty { object["headers"] = .object(fields) }
        return .object(object)
    }

    private static func shape(of answer: AdminRoute.Answer) -> (String, JSONValue?) {
        switch answer {
        case .nothing: ("Done.", nil)
        case .json(let schema): ("The answer.", content("application/json", schema))
        case .propertyList: ("The property list.", .object(propertyListForms))
        case .events(let schema):
            (
                "Server-sent events, each with an id; what an event carries is JSON text.",
                .object([ChangeEvent.mediaType: .object(["schema": event(carrying: schema)])])
            )
        case .jsonLines(let schema): ("A value in each line.", content("application/jsonl", schema))
        case .html: ("A page for people.", content("text/html", .string))
        }
    }

    /// One event of a stream, by the names of its fields.
    private static func event(carrying schema: Schema) -> JSONValue {
        .object([
            "type": .string("object"),
            "properties": .object([
                "event": Schema.oneOf([ChangeEvent.name, ChangeEvent.reset]).json, "id": Schema.string.json,
                "retry": Schema.integer.json,
                "data": .object([
                    "type": .string("string"), "contentMediaType": .string("application/json"),
                    "contentSchema": schema.json,
                ]),
            ]),
        ])
    }

    private static func content(_ mediaType: String, _ schema: Schema) -> JSONValue {
        .object([mediaType: form(schema)])
    }

    private static func form(_ schema: Schema) -> JSONValue {
        .object(["schema": schema.json])
    }
}
