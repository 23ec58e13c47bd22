import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

extension Server {
    /// Opens an answer that does not end by itself, and hands over what comes of it as it comes.
    ///
    /// Ends when the server ends it; a connection that is lost is thrown as the failure it means.
    func stream(
        _ path: [String], query: [(String, String)], lastEventID: String?, _ take: ([UInt8]) throws -> Void
    ) async throws {
        var request = HTTPClientRequest(url: address + RequestPath.text(["api", "v1"] + path, query: query))
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.headers.add(name: "Accept", value: ChangeEvent.mediaType)
        if let lastEventID { request.headers.add(name: "Last-Event-ID", value: lastEventID) }
        do {
            let response = try await http.execute(request, timeout: .seconds(30))
            guard response.status == .ok else {
                let body = try await response.body.collect(upTo: 65_536)
                throw Failure(
                    problem: try? AdminJSON.decode(Problem.self, from: Data(buffer: body)),
                    status: Int(response.status.code), path: path)
            }
            for try await part in response.body { try take(Array(part.readableBytesView)) }
        } catch {
            throw await Unreachable.explained(error, server: address)
        }
    }
}
