import HTTPTypes
import Hummingbird
import InputBounds

/// The description of the API, at its own address.
enum DocumentRoute {
    static func route(describing others: [AdminRoute]) -> AdminRoute {
        let route = { (service: AdminRoute.Service) in
            AdminRoute(
                method: .get, path: "/openapi.json", operation: "describe", summary: "This document.",
                answer: .json(.any), service: service)
        }
        let itself = route(.open { _, _ in Response(status: .ok) })
        let body = OpenAPIDocument.document(of: others + [itself]).encoded()
        let tag = AdminAnswer.tag(of: body)
        return route(
            .open { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "application/json", .eTag: tag.text],
                    body: ResponseBody(data: body))
            })
    }
}
