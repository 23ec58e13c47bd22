import Foundation
import ManagedApp
import ManagedAppSpecification

/// Everything an administrator can configure.
@ManagedConfiguration
struct LandmarksManagedConfig {
    /// A collection shown above all others.
    ///
    /// Without it there is no such section.
    @Key(title: "Managed collection") let managedCollection: ManagedCollection?

    /// Where more landmarks are.
    ///
    /// They can be large; the configuration stays small. The server answers with a JSON array of landmarks, each with id,
    /// name and place, at most 64 MiB in all.
    @Key(
        title: "More landmarks", pattern: "^https://[^/?#:]+.*$", examples: ["https://landmarks.example.com/all.json"],
        refusal: LandmarksConfigError.invalidAssetURL)
    let assetURL: URL?

    /// The identifier of a certificate, one of the app's secrets.
    ///
    /// With it the app believes only servers that this authority vouches for; without, those that the system
    /// trusts.
    @Key(title: "Whom to believe", length: 1...) let assetAuthority: String?

    /// The certificate of such an authority itself, in DER.
    ///
    /// A certificate among the secrets is better: it can be replaced without a new configuration.
    @Key(
        title: "Whom to believe, in the configuration", size: 1...65_536,
        refusal: LandmarksConfigError.invalidAssetCertificate)
    let assetCertificate: AuthorityCertificate?
}

/// A collection of landmarks that an administrator put together.
@ManagedConfiguration
struct ManagedCollection: Equatable {
    /// The collection's headline.
    @Key(examples: ["Parks to visit"], default: "Untitled") let title: String

    /// The landmarks in it, by number, in this order.
    @Key(refusal: LandmarksConfigError.unknownLandmark, default: [Landmark]()) let landmarks: [Landmark]
}

/// A landmark is configured by its number: only those that the app knows.
extension Landmark: ConfigurationConvertible {
    static var shape: ConfigurationShape { Int.shape.choices(all.map { ($0.id, $0.name) }) }

    var configured: Int { id }

    init?(configured id: Int) {
        guard let landmark = Landmark.all.first(where: { $0.id == id }) else { return nil }
        self = landmark
    }
}

/// Without the pin the app would believe others: a configuration with data that is no certificate is none.
struct AuthorityCertificate: ConfigurationConvertible {
    let certificate: SecCertificate

    var configured: Data { SecCertificateCopyData(certificate) as Data }

    init?(configured data: Data) {
        guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else { return nil }
        self.certificate = certificate
    }
}

/// Why the app refuses a configuration; administrators read of it in the specification.
struct LandmarksConfigError: ManagedAppConfigurationDecodingError {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String

    static let unknownLandmark = LandmarksConfigError(
        100, "unknownLandmark: a number is not one of the app's landmarks")
    static let invalidAssetURL = LandmarksConfigError(101, "invalidAssetURL: the value is not an https URL")
    static let invalidAssetCertificate = LandmarksConfigError(
        102, "invalidAssetCertificate: the data is not one certificate in DER")

    private init(_ number: Int, _ message: String) {
        guard let code = ManagedAppConfigurationDecodingErrorCode(rawValue: number) else {
            preconditionFailure("the app's codes are below the reserved ones")
        }
        self.code = code
        self.message = message
    }
}
