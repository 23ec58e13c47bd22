import Console
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Synchronization

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
        let described = others + themselves
        let document = Written { OpenAPIDocument.document(of: described).encoded() }
        let page = Written { Data(ReferencePage.page(of: OpenAPIDocument.document(of: described)).text.utf8) }
        var pageFields = ConsoleResponse.fields
        pageFields[.contentType] = "text/html; charset=utf-8"
        pageFields[.cacheControl] = "no-store"
        return routes(
            serve(document, [.contentType: "application/json"]), serve(page, pageFields))
    }

    typealias Serve = @Sendable (Request, MartletContext) async throws -> Response

    private static func serve(_ written: Written, _ fields: HTTPFields) -> Serve {
        { _, _ in
            let (body, tag) = written.bodyAndTag
            var fields = fields
            fields[.eTag] = tag
            return Response(status: .ok, headers: fields, body: ResponseBody(data: body))
        }
    }

    /// Written when it is first asked for: few servers are asked, and every one starts.
    private final class Written: Sendable {
        private let write: @Sendable () -> Data
        private let kept = Mutex<(Data, String)?>(nil)

        init(_ write: @escaping @Sendable () -> Data) { self.write = write }

        var bodyAndTag: (Data, String) {
            kept.withLock { kept in
                if let kept { return kept }
                let body = write()
                let made = (body, AdminAnswer.tag(of: body).text)
                kept = made
                return made
            }
        }
    }
}
