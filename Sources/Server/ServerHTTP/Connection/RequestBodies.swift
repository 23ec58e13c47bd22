package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import NIOFoundationCompat

/// Why a body was not taken.
package enum BodyRefusal: Error {
    case tooLarge
}

extension Request {
    /// The whole body, without a copy where that is possible; larger ones are refused before they are read.
    ///
    /// The request is not under way while its body is awaited, and what came of it counts as memory until the answer.
    package func bytes(upTo limit: Int) async throws -> Data {
        if let announced = headers[.contentLength], let length = Int(announced), length > limit {
            throw BodyRefusal.tooLarge
        }
        let place = RequestPlace.current
        place?.leave()
        var whole = ByteBuffer()
        for try await var part in body {
            guard whole.readableBytes + part.readableBytes <= limit else { throw BodyRefusal.tooLarge }
            try place?.takeBody(part.readableBytes)
            if whole.readableBytes == 0 { whole = part } else { whole.writeBuffer(&part) }
        }
        try place?.enter()
        return Data(buffer: whole, byteTransferStrategy: .noCopy)
    }
}

extension ResponseBody {
    /// A body of bytes that are already encoded.
    package init(data: Data) {
        self.init(byteBuffer: ByteBuffer(data: data))
    }
}
