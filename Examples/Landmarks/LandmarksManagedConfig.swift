import Foundation
import ManagedApp

/// Everything an administrator can configure.
struct LandmarksManagedConfig: Decodable {
    /// A collection shown above all others.
    let managedCollection: ManagedCollection?

    /// Where more landmarks can be downloaded.
    let assetURL: URL?

    /// The identifier of a provisioned certificate: the one authority to believe when it vouches for that server.
    let assetAuthority: String?

    /// Such an authority's certificate itself, for administrators who provision none.
    let assetCertificate: SecCertificate?

    private enum CodingKeys: String, CodingKey {
        case managedCollection, assetURL, assetAuthority, assetCertificate
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        managedCollection = try container.decodeIfPresent(ManagedCollection.self, forKey: .managedCollection)
        if let text = try container.decodeIfPresent(String.self, forKey: .assetURL) {
            guard let url = URL(string: text), url.scheme == "https", url.host?.isEmpty == false else {
                throw LandmarksConfigError.invalidAssetURL
            }
            assetURL = url
        } else {
            assetURL = nil
        }
        assetAuthority = try container.decodeIfPresent(String.self, forKey: .assetAuthority)
        assetCertificate = try container.decodeIfPresent(Data.self, forKey: .assetCertificate).map { data in
            // Without the pin the app would believe others: such a configuration is none.
            guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else {
                throw LandmarksConfigError.invalidAssetCertificate
            }
            return certificate
        }
    }
}

/// A collection of landmarks that an administrator put together.
struct ManagedCollection: Decodable {
    let title: String
    let landmarks: [Landmark]

    private enum CodingKeys: String, CodingKey {
        case title, landmarks
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? "Untitled"
        landmarks = try (container.decodeIfPresent([Int].self, forKey: .landmarks) ?? []).map { id in
            guard let landmark = Landmark.withID(id) else { throw LandmarksConfigError.unknownLandmark }
            return landmark
        }
    }
}

/// Why the app refuses a configuration.
///
/// The codes are documented in the README, for administrators.
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
