import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management

extension DeviceRoutes {
    /// Hands a device a secret that is assigned to it now; the release is in the audit log before a byte leaves.
    func credential(_ request: Request, _ context: MartletContext) async throws -> Response {
        let signer = try authentication.downloader(of: request, context)
        let device: DeviceContext
        switch try await management.judge(signer: signer, showing: request.bearerToken) {
        case .accepted(let found): device = found
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: nil)
        }
        let name = try context.parameters.require("name")
        guard let version = Int(try context.parameters.require("version")) else {
            throw DeviceProblem(.notFound, rule: "a credential's version is a number", enrollment: device.key)
        }
        switch try await management.credential(name: name, version: version, for: device) {
        case .refused(let refusal):
            throw DeviceProblem(.notFound, rule: refusal.logText, enrollment: device.key)
        case .accepted(let document):
            context.logger.info(
                "credential released",
                metadata: [
                    "enrollment": "\(LogText(peer: device.key).text)", "secret": "\(name)", "version": "\(version)",
                ])
            return Response(
                status: .ok, headers: [.contentType: document.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(data: document.bytes))
        }
    }
}
