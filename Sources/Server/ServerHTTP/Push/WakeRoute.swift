import DeviceMessages
import HTTPTypes
import Hummingbird
import Management
import NIOCore

/// `GET /mdm/wake`: a device keeps this answer open and hears on it when it should connect.
///
/// Each line is `{"mdm":"<PushMagic>"}`, what APNs would carry, or empty: a heartbeat.
struct WakeRoute: Sendable {
    let management: Management
    let authentication: DeviceAuthentication
    let streams: WakeStreams

    func answer(_ request: Request, _ context: MartletContext) async throws -> Response {
        let signer = try authentication.downloader(of: request, context)
        let device: DeviceContext
        switch try await management.judge(signer: signer, showing: request.bearerToken) {
        case .accepted(let found): device = found
        case .refused(let refusal): throw DeviceProblem(refusal, enrollment: nil)
        }
        let wakes = try await management.subscribe(device)
        let stream = streams.open()
        context.peer.whenItLeaves { [streams] in streams.close(stream) }
        let key = device.key
        let body = ResponseBody { [management, streams] writer in
            defer { streams.close(stream) }
            async let _: Void = Self.pass(wakes, to: stream)
            for await _ in stream.signals {
                try await writer.write(Self.line(stream.take(), key: key, management: management))
                management.noteListening(key)
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: MediaType.wakeStream, .cacheControl: "no-store"], body: body)
    }

    private static func pass(_ wakes: AsyncStream<Void>, to stream: WakeStream) async {
        for await _ in wakes { stream.wake() }
        stream.finish()
    }

    private static func line(_ signal: WakeSignal, key: String, management: Management) async throws -> ByteBuffer {
        if signal == .wake, let magic = try await management.pushMagic(of: key) {
            return ByteBuffer(bytes: WakeEvent(pushMagic: magic).line())
        }
        return ByteBuffer(string: "\n")
    }
}
