import HTTPTypes
import Hummingbird
import Logging
import Management
import NIOCore
import NIOHTTP1

/// The outermost step of every request: strangers' pace, a bound on how many are under way, an answer to every error, one
/// log line.
///
/// Each answer and its log line carry the same identifier, so that one is found by the other. The log names the route's
/// pattern, never the path or the query: enrollment codes and SCEP messages stand there.
struct Edge<Inner: HTTPResponder>: HTTPResponder where Inner.Context == MartletContext {
    let inner: Inner
    let limits: ServerLimits
    let traffic: Traffic
    let strangers: StrangerBudget
    let methods: AllowedMethods

    func respond(to request: Request, context: MartletContext) async throws -> Response {
        let start = ContinuousClock.now
        let identifier = RequestIdentifier.next()
        var response: Response
        let place = RequestPlace(context.peer.standing, traffic, strangers, limits)
        defer { place.end() }
        do throws(HTTPProblem) {
            try await keepPace(context)
            try place.enter()
        } catch {
            response = complete(error.response, to: request, identifier)
            traffic.count(.other, status: response.status, lasting: .zero)
            return response
        }
        let context = named(context, identifier)
        do {
            // By bytes: before a combining mark, the last 0 is another character.
            guard !request.uri.string.utf8.contains("%00".utf8) else { throw HTTPProblem.nulInAddress }
            response = try await RequestPlace.$current.withValue(place) {
                try await inner.respond(to: request, context: context)
            }
            if response.status == .notFound, response.headers[.contentType] == nil,
                request.uri.path.hasPrefix(AdminAPI.prefix)
            {
                response = methods.problem(for: request.uri.path).response
            }
        } catch {
            if error is HTTPParserError { throw error }
            response = HTTPProblem(answering: error, context.logger).response
        }
        response = complete(response, to: request, identifier)
        let elapsed = start.duration(to: .now)
        traffic.count(Area(route: context.endpointPath), status: response.status, lasting: elapsed)
        let level: Logger.Level = request.method == .put && response.status.kind == .successful ? .debug : .info
        if context.logger.logLevel <= level {
            context.logger.log(
                level: level, "request",
                metadata: [
                    "method": "\(request.method)", "route": "\(context.endpointPath ?? "none")",
                    "status": "\(response.status.code)", "ms": "\(elapsed.milliseconds)",
                ])
        }
        return response
    }

    /// Has a stranger wait whose network asks too fast: it is slowed down, so that nobody who shares it is locked out.
    private func keepPace(_ context: MartletContext) async throws(HTTPProblem) {
        let standing = context.peer.standing
        var left = limits.strangerPauses
        while !standing.isKnown, !strangers.keepsPace(standing.network) {
            guard left > 0 else { throw .tooFast }
            left -= 1
            // Not all at the same moment.
            let pause = limits.strangerPause.nanoseconds / 2
            await context.peer.pause(
                .nanoseconds(pause + Int64.random(in: 0...2 * pause)), on: context.channel.eventLoop)
        }
    }

    /// With its identifier, and to HEAD without a body: one that nobody expects would be read as the next answer.
    private func complete(_ response: Response, to request: Request, _ identifier: String) -> Response {
        var response = request.method == .head ? response.createHeadResponse() : response
        response.headers[.requestID] = identifier
        return response
    }

    /// Every line of the log about the request has its identifier; Hummingbird's own would tell peers how many there are.
    private func named(_ context: MartletContext, _ identifier: String) -> MartletContext {
        var context = context
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request"] = .string(identifier)
        return context
    }
}

extension HTTPProblem {
    /// The answer to a request that ended in an error; an error of the server's own is logged.
    init(answering error: any Error, _ logger: Logger) {
        switch error {
        case let problem as HTTPProblem: self = problem
        case BodyRefusal.tooLarge: self = .tooLarge
        case is StoreOverload: self = .busy
        case is ReadTooLong: self = .readTooLong
        // The store says it to the log, once and not for each request.
        case let refusal as StoreDiskRefusal: self.init(refusal)
        case is StoreDamage: self = .damaged()
        case let error as any HTTPResponseError: self.init(error.status, "http", error.status.reasonPhrase)
        default:
            // The type is named, not the value: it may hold what a peer sent.
            logger.error("request failed", metadata: ["error": "\(type(of: error))"])
            self = .broken
        }
    }
}

extension Duration {
    /// Whole and thousandths of milliseconds, for logs.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1_000 + (Double(attoseconds) / 1e12).rounded() / 1_000
    }
}
