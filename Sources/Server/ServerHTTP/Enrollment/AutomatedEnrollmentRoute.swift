import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management
import NIOCore
import Synchronization

/// Where a device that an administrator expects fetches its profile when it is set up.
struct AutomatedEnrollmentRoute: Sendable {
    static let path = "/enroll/automatic"

    private let management: Management
    private let limits: ServerLimits
    private let traffic: Traffic
    private let requests: Counter
    private let now: @Sendable () -> Date

    private final class Counter: Sendable {
        let bound: Mutex<RateBound>

        init(perWindow: Int) { bound = Mutex(RateBound(perWindow: perWindow, window: 600)) }
    }

    init(management: Management, limits: ServerLimits, traffic: Traffic, now: @escaping @Sendable () -> Date) {
        self.management = management
        self.limits = limits
        self.traffic = traffic
        self.now = now
        requests = Counter(perWindow: limits.automatedEnrollments)
    }

    func add(to router: Router<MartletContext>) {
        router.post("\(Self.path)") { request, context in try await profile(request, context) }
    }

    private func profile(_ request: Request, _ context: MartletContext) async throws -> Response {
        let address = PeerAddress.text(of: context.channel.remoteAddress) ?? ""
        guard requests.bound.withLock({ $0.admits(address, now: now()) }) else {
            return refuse(.tooManyRequests, "an address asks for so many profiles in ten minutes", context)
        }
        let info: MachineInfo
        do {
            info = try await SignedMachineInfo.read(request, limits: limits)
        } catch {
            return refuse(.badRequest, error.rule, context)
        }
        switch try await management.expectedProfile(for: info) {
        case .accepted(let profile):
            return Response(
                status: .ok, headers: [.contentType: MediaType.profile, .cacheControl: "no-store"],
                body: ResponseBody(data: profile.encoded()))
        case .refused(let refusal): return refuse(.notFound, refusal.logText, context)
        }
    }

    /// The device hears no more than the status: which serial numbers are expected is nobody's business.
    private func refuse(_ status: HTTPResponse.Status, _ rule: String, _ context: MartletContext) -> Response {
        traffic.countRefusal()
        context.logger.notice("automated enrollment refused", metadata: ["rule": "\(rule)"])
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if status == .tooManyRequests { headers[.retryAfter] = "60" }
        return Response(status: status, headers: headers)
    }
}
