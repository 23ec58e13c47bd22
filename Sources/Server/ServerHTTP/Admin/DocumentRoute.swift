import Console
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds

/// The description of the API, at its own address: for programs, and as a page for people.
enum DocumentRoute {
    static func routes(describing others: [AdminRoute]) -> [AdminRoute] {
        func routes(_ document: @escaping Serve, _ page: @escaping Serve) -> [AdminRoute] {
            [
                AdminRoute(
                    method: .get, path: "/openapi.json", operation: "describe", summary: "This document.",
                    answer: .json(.any), service: .open(document)),
                AdminRoute(
                    method: .get, path: "/reference", operation: "showReference",
                    summary: "This document as a page for people.", answer: .html, service: .open(page)),
            ]
        }
        let themselves = routes({ _, _ in Response(status: .ok) }, { _, _ in Response(status: .ok) })
        let document = OpenAPIDocument.document(of: others + themselves)
        let page = Data(ReferencePage.page(of: document).text.utf8)
        var pageFields = ConsoleResponse.fields
        pageFields[.contentType] = "text/html; charset=utf-8"
        return routes(
            serve(document.encoded(), [.contentType: "application/json"]), serve(page, pageFields))
    }

    typealias Serve = @Sendable (Request, MartletContext) async throws -> Response

    private static func serve(_ body: Data, _ fields: HTTPFields) -> Serve {
        var fields = fields
        fields[.eTag] = AdminAnswer.tag(of: body).text
        return { [fields] _, _ in Response(status: .ok, headers: fields, body: ResponseBody(data: body)) }
    }
}
