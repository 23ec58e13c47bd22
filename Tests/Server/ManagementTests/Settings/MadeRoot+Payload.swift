import Foundation
import InputBounds
import MadeRoots
import SwiftASN1

extension MadeRoot {
    /// The moment of these tests.
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func payload(_ pem: String) -> JSONValue { .object(["certificate": .string(pem)]) }

    static func der(of pem: String) throws -> Data { Data(try PEMDocument(pemString: pem).derBytes) }
}
