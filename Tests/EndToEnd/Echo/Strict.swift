import Foundation
import ManagedApp

/// A configuration whose decoder can be made to refuse in every way there is.
struct Strict: Decodable {
    let name: String
    let retries: Int
    let identifier: UUID

    private enum CodingKeys: String, CodingKey {
        case name = "com.example.name"
        case retries, identifier, mode
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch try values.decodeIfPresent(String.self, forKey: .mode) {
        case "spin": while true { usleep(10_000) }
        case "crash": abort()
        default: break
        }
        name = try values.decode(String.self, forKey: .name)
        retries = try values.decode(Int.self, forKey: .retries)
        guard retries < 10 else { throw StrictError(42, "tooManyRetries: at most 9 are allowed") }
        identifier = try values.decode(UUID.self, forKey: .identifier)
    }
}

/// The app's own error.
struct StrictError: ManagedAppConfigurationDecodingError {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String

    init(_ number: Int, _ message: String) {
        guard let code = ManagedAppConfigurationDecodingErrorCode(rawValue: number) else {
            preconditionFailure("the app's codes are below the reserved ones")
        }
        self.code = code
        self.message = message
    }
}
