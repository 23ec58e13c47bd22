import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

/// Where devices get packages: nobody is asked who he is, the digest in the path is what lets in.
struct PackageDownloads: Sendable {
    let management: Management

    /// What is read of a file at once: a slow peer must be able to take it before it counts as stalled.
    private static let pieceBytes = 65_536
    private let files = FileIO()

    init(management: Management) {
        self.management = management
    }

    func add(to router: Router<MartletContext>) {
        router.get("/packages/{sha256}") { try await file($0, $1) }
        router.get("/packages/{sha256}/manifest.plist") { try await manifest($0, $1) }
    }

    private func file(_ request: Request, _ context: MartletContext) async throws -> Response {
        let sha256 = context.parameters.get("sha256") ?? ""
        guard let directory = management.packages, let package = try await management.hostedPackage(sha256) else {
            return Response(status: .notFound)
        }
        let tag = EntityTag(sha256)
        // What has this name never changes.
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .eTag: tag.text, .acceptRanges: "bytes",
            .cacheControl: "public, max-age=31536000, immutable",
        ]
        if tag.isNamed(byIfNoneMatch: request.headers[.ifNoneMatch]) {
            return Response(status: .notModified, headers: headers)
        }
        // A part is only of use to who has the rest of the very same.
        let isSame = request.headers[.ifRange].map { $0 == tag.text } ?? true
        let path = directory.file(sha256).path
        switch ByteRange(isSame ? request.headers[.range] : nil, size: package.size) {
        case .whole:
            let body = try await files.loadFile(path: path, context: context, chunkLength: Self.pieceBytes)
            return Response(status: .ok, headers: headers, body: body)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(package.size)"
            let body = try await files.loadFile(
                path: path, range: range, context: context, chunkLength: Self.pieceBytes)
            return Response(status: .partialContent, headers: headers, body: body)
        case .none:
            headers[.contentRange] = "bytes */\(package.size)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
    }

    private func manifest(_ request: Request, _ context: MartletContext) async throws -> Response {
        guard let manifest = try await management.packageManifest(context.parameters.get("sha256") ?? "") else {
            return Response(status: .notFound)
        }
        let tag = AdminAnswer.tag(of: manifest)
        if tag.isNamed(byIfNoneMatch: request.headers[.ifNoneMatch]) {
            return Response(status: .notModified, headers: [.eTag: tag.text])
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/xml", .eTag: tag.text, .cacheControl: "public, max-age=300"],
            body: ResponseBody(data: manifest))
    }
}
