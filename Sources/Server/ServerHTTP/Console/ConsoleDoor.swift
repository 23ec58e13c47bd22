import Console
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOFoundationCompat

/// The API in the same process, for the session of one browser.
///
/// A call goes through the API's own router with the session's token as anybody's does: the same authentication,
/// permissions, conditions and bounds, no other way in.
struct ConsoleDoor: AdminDoor {
    typealias API = RouterResponder<MartletContext>

    let api: API
    let context: MartletContext
    /// Of the session; nothing for somebody who is not signed in.
    let token: String?

    func answer(_ call: AdminDoorCall) async throws -> AdminDoorAnswer {
        var fields = HTTPFields()
        for (name, value) in call.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        guard let method = HTTPRequest.Method(call.method) else { throw HTTPProblem.broken }
        let request = request(
            method, call.path, fields,
            call.body.map { ByteBuffer(data: $0) } ?? ByteBuffer())
        var context = inner
        context.endsFormerSession = method == .delete && call.path == "/session"
        let response: Response
        do {
            response = try await api.respond(to: request, context: context)
        } catch let error where !(error is CancellationError) {
            response = HTTPProblem(answering: error, context.logger).response
        }
        let body = CollectedBody()
        try await response.body.write(body)
        return AdminDoorAnswer(
            status: Int(response.status.code), entityTag: response.headers[.eTag], body: Data(buffer: body.buffer))
    }

    /// An answer that goes on: it is passed on as it comes.
    func stream(_ path: String, headers: HTTPFields) async throws -> Response {
        try await api.respond(to: request(.get, path, headers, ByteBuffer()), context: inner)
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, _ body: ByteBuffer
    ) -> Request {
        var fields = headers
        if let token { fields[.authorization] = "Bearer \(token)" }
        return Request(
            head: HTTPRequest(
                method: method, scheme: "https", authority: nil, path: AdminAPI.prefix + path, headerFields: fields),
            body: RequestBody(buffer: body))
    }

    /// The page's own route stays the one that the log names.
    private var inner: MartletContext {
        var inner = context
        inner.coreContext.endpointPath = EndpointPath()
        return inner
    }
}

/// Takes an answer's body whole: the API's answers are pages of lists and single values.
final class CollectedBody: ResponseBodyWriter {
    private(set) var buffer = ByteBuffer()

    func write(_ part: ByteBuffer) async throws {
        buffer.writeImmutableBuffer(part)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
