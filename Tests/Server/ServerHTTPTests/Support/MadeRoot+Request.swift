import AdminMessages
import MadeRoots

extension MadeRoot {
    /// One that every test may have where its content does not matter.
    static let shared = Result { try pem("Root") }

    static func request(_ pem: String) -> SettingRequest {
        SettingRequest(payload: .object(["certificate": .string(pem)]))
    }
}
