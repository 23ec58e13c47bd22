import Foundation
import ManagedApp
import ManagedAppSpecification

// What the guides' samples take for granted: the rest of an app.

struct NotesConfig: Decodable, Sendable {
    static let standard = NotesConfig()
}

func apply(_ configuration: NotesConfig) {}

func show(_ identifiers: [String]) {}

/// The specification's first sample.
let sample = Data()

struct PagesError: ManagedAppConfigurationDecodingError {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String

    static let noSuchPage = PagesError(1, "noSuchPage: there are nine pages")

    init(_ number: Int, _ message: String) {
        guard let code = ManagedAppConfigurationDecodingErrorCode(rawValue: number) else {
            preconditionFailure("the app's codes are below the reserved ones")
        }
        self.code = code
        self.message = message
    }
}

enum PlacesError {
    static let unknownPlace = PagesError(2, "unknownPlace: there is no such place")
    static let noProxy = PagesError(3, "noProxy: the proxy is this device")
}
