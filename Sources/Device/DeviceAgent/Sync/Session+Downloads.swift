import DeviceMessages
import Foundation

/// Fetches what declarations point to.
extension Session {
    func download(_ asset: DataAsset, _ busy: inout Busy?) async throws(AssetRefusal) -> Data {
        let reply = try await fetch(
            asset, what: "an app configuration", limit: DataAsset.configurationLimit, &busy)
        try asset.checkConfiguration(reply.body, contentType: reply.contentType)
        return reply.body
    }

    /// Fetches what an asset points to; `what` it is, and how large it may be, is for the refusal.
    func fetch(
        _ asset: DataAsset, what: String, limit: Int, _ busy: inout Busy?
    ) async throws(AssetRefusal) -> ServerReply {
        let connection = asset.authentication == .mdm ? requests.connection : anonymous
        let reply: ServerReply
        do {
            reply = try await connection.send(
                "GET", asset.dataURL, answerLimit: limit + 1, timeLimit: .seconds(60))
        } catch ServerSilence.answerTooLarge {
            throw .verification("\(what) may have at most \(limit) bytes")
        } catch {
            throw .download(error.explanation)
        }
        if let word = Busy(reply) { busy = word }
        guard reply.status == 200 else { throw .download("the server answered \(reply.status)") }
        return reply
    }
}
