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
    package func bytes(upTo limit: Int) async throws -> Data {
        if let announced = headers[.contentLength], let length = Int(announced), length > limit {
            throw BodyRefusal.tooLarge
        }
        do {
            let buffer = try await body.collect(upTo: limit)
            return Data(buffer: buffer, byteTransferStrategy: .noCopy)
        } catch is NIOTooManyBytesError {
            throw BodyRefusal.tooLarge
        }
    }
}

extension ResponseBody {
    /// A body of bytes that are already encoded.
    package init(data: Data) {
        self.init(byteBuffer: ByteBuffer(data: data))
    }
}
