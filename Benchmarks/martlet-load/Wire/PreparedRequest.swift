import DeviceMessages
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// A request that only needs to be written.
struct PreparedRequest: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer?

    init(_ method: HTTPMethod, _ url: ServerURL, body: Data? = nil, headers: [(String, String)] = []) {
        var fields = HTTPHeaders([("Host", url.authority)])
        for (name, value) in headers { fields.add(name: name, value: value) }
        if let body { fields.add(name: "Content-Length", value: "\(body.count)") }
        head = HTTPRequestHead(version: .http1_1, method: method, uri: url.path, headers: fields)
        self.body = body.map { ByteBuffer(data: $0) }
    }

    /// A message to the check-in or the command URL, signed or for a connection that proves the device.
    init(_ body: Data, of device: PlayedDevice, command: Bool = false, signed: Bool) throws {
        var headers = [("Content-Type", command ? MediaType.command : MediaType.checkIn)]
        if signed { headers.append(("Mdm-Signature", try device.signature(of: body))) }
        self.init(.PUT, command ? device.commandURL : device.checkInURL, body: body, headers: headers)
    }
}
