import HTTPTypes
import Hummingbird
import Logging
import Management
import Metrics
import NIOHTTP1
import Synchronization

/// The outermost step of every request: a bound on how many are under way, an answer to every error, one log line.
///
/// The log names the route's pattern, never the path or the query: enrollment codes and SCEP messages stand there.
struct Edge<Inner: HTTPResponder>: HTTPResponder where Inner.Context == MartletContext {
    let inner: Inner
    let limits: ServerLimits
    let traffic: Traffic

    func respond(to request: Request, context: MartletContext) async throws -> Response {
        let start = ContinuousClock.now
        guard traffic.enter(limit: limits.requestsUnderWay) else {
            traffic.count(status: HTTPProblem.busy.status)
            return HTTPProblem.busy.response
        }
        defer { traffic.leave() }
        var response: Response
        do {
            response = try await inner.respond(to: request, context: context)
            if response.status == .notFound, response.headers[.contentType] == nil,
                request.uri.path.hasPrefix(AdminAPI.prefix)
            {
                response = HTTPProblem.notFound.response
            }
        } catch {
            response = try answer(to: error, request: request, context: context)
        }
        traffic.count(status: response.status)
        let level: Logger.Level = request.method == .put && response.status.kind == .successful ? .debug : .info
        if context.logger.logLevel <= level {
            context.logger.log(
                level: level, "request",
                metadata: [
                    "method": "\(request.method)", "route": "\(context.endpointPath ?? "none")",
                    "status": "\(response.status.code)", "ms": "\(start.duration(to: .now).milliseconds)",
                ])
        }
        return response
    }

    private func answer(to error: any Error, request: Request, context: MartletContext) throws -> Response {
        switch error {
        case let error as HTTPParserError:
            throw error
        case let problem as HTTPProblem:
            return problem.response
        case BodyRefusal.tooLarge:
            return HTTPProblem.tooLarge.response
        case is StoreOverload:
            return HTTPProblem.busy.response
        case let error as any HTTPResponseError:
            return HTTPProblem(error.status, "http", error.status.reasonPhrase).response
        default:
            // The type is named, not the value: it may hold what a peer sent.
            context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
            return HTTPProblem.broken.response
        }
    }
}

/// How many requests are under way, and counters of how they ended.
package final class Traffic: Sendable {
    private let underWay = Atomic<Int>(0)
    private let counters: [Counter]
    private let refused = Counter(label: "martlet_refusals_total")

    package init() {
        counters = (1...5).map { Counter(label: "martlet_requests_total", dimensions: [("status", "\($0)xx")]) }
    }

    func enter(limit: Int) -> Bool {
        guard underWay.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        return true
    }

    func leave() {
        underWay.subtract(1, ordering: .relaxed)
    }

    func count(status: HTTPResponse.Status) {
        let index = status.code / 100 - 1
        if counters.indices.contains(index) { counters[index].increment() }
    }

    func countRefusal() {
        refused.increment()
    }
}

extension Duration {
    /// Whole and thousandths of milliseconds, for logs.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1_000 + (Double(attoseconds) / 1e12).rounded() / 1_000
    }
}
