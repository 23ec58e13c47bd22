import HTTPTypes
import Hummingbird

/// What is asked about the server itself: whether it lives, whether it can work, and what it measured.
struct OperationsRoutes: Sendable {
    let readiness: Readiness

    /// Adds the routes for any client that can reach the server; each answers one word.
    func add<Context: RequestContext>(to router: Router<Context>) {
        router.get("/healthz") { _, _ in Self.text("ok\n") }
        router.get("/readyz") { _, _ in
            guard let fault = await readiness.fault() else { return Self.text("ready\n") }
            return HTTPProblem(
                .serviceUnavailable, "not-ready", "The server cannot work now", detail: fault.rawValue + ".",
                headers: [.retryAfter: "5"]
            ).response
        }
    }

    /// To those alone who reach the address that is for it.
    func addMeasures<Context: RequestContext>(_ measures: ServerMeasures, to router: Router<Context>) {
        router.get("/metrics") { _, _ in
            Self.text(try await measures.text(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    private static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
