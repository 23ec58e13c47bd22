import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management

/// Where a device that an administrator expects fetches its profile when it is set up.
struct AutomatedEnrollmentRoute: Sendable {
    static let path = "/enroll/automatic"

    let management: Management
    let limits: ServerLimits
    let traffic: Traffic
    let strangers: StrangerBudget
    /// Counts profiles by address, and those in the name of one device by both.
    let requests: PeerRate
    let requestsOfDevice: PeerRate

    func add(to router: Router<MartletContext>) {
        router.post("\(Self.path)") { request, context in try await profile(request, context) }
    }

    private func profile(_ request: Request, _ context: MartletContext) async throws -> Response {
        let peer = context.peer.counted
        guard requests.admits(peer) else {
            return refuse(.tooManyRequests, "an address asks for so many profiles in ten minutes", context)
        }
        let info: MachineInfo
        do {
            info = try await SignedMachineInfo.read(request, context, strangers, limits: limits)
        } catch let refusal as InputRefusal {
            return refuse(.badRequest, refusal.rule, context)
        }
        // Each profile is a right that is written down: one stranger who knows a serial number makes few.
        guard requestsOfDevice.admits(peer.asking(about: info.serialNumber ?? "")) else {
            return refuse(.tooManyRequests, "an address asked too often for one device in ten minutes", context)
        }
        switch try await management.expectedProfile(for: info) {
        case .accepted(let profile):
            return Response(
                status: .ok, headers: [.contentType: MediaType.profile, .cacheControl: "no-store"],
                body: ResponseBody(data: profile.encoded()))
        case .refused(let refusal): return refuse(.notFound, refusal.logText, context)
        }
    }

    /// The device gets only the status, so that it does not learn which serial numbers are expected.
    private func refuse(_ status: HTTPResponse.Status, _ rule: String, _ context: MartletContext) -> Response {
        traffic.countRefusal()
        context.logger.notice("automated enrollment refused", metadata: ["rule": "\(rule)"])
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if status == .tooManyRequests { headers[.retryAfter] = "60" }
        return Response(status: status, headers: headers)
    }
}
