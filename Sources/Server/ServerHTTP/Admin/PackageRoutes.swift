import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management
import NIOCore
import NIOFoundationCompat

/// Packages that the server hosts: uploaded in pieces, verified, listed, removed.
struct PackageRoutes: Sendable {
    let management: Management
    let baseURL: String

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/apps/{app}/packages", operation: "listPackages",
                summary: "The packages of an app, the newest first.", query: QueryParameter.cutting,
                answer: .json(.page(of: "Package")),
                service: .session(list)),
            AdminRoute(
                method: .get, path: "/apps/{app}/packages/{sha256}", operation: "showPackage",
                summary: "One package.", answer: .json(.named("Package")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/apps/{app}/packages/{sha256}", operation: "acceptPackage",
                summary: "Verify a package that was uploaded, host it, and have devices with Linux get it.",
                body: .json(.named("PackageRequest")), answer: .json(.named("Package")),
                moreRefusals: [.insufficientStorage], service: .session(accept)),
            AdminRoute(
                method: .delete, path: "/apps/{app}/packages/{sha256}", operation: "removePackage",
                summary: "Stop hosting a package that no source names.", status: .noContent,
                service: .session(remove)),
            AdminRoute(
                method: .get, path: "/apps/{app}/packages/{sha256}/upload", operation: "showPackageUpload",
                summary: "How far the upload of a package is.", answer: .json(.named("PackageUpload")),
                service: .session(progress)),
            AdminRoute(
                method: .put, path: "/apps/{app}/packages/{sha256}/upload", operation: "uploadPackage",
                summary: "Send a piece of a package, up to 4 MiB, where Content-Range says.",
                headers: [
                    HeaderParameter(
                        name: "Content-Range", value: .matching("^bytes [0-9]{1,19}-[0-9]{1,19}/[0-9]{1,19}$"),
                        isRequired: true,
                        summary: "Which bytes of the package the body holds: `bytes first-last/total`.")
                ], body: .bytes,
                answer: .json(.named("PackageUpload")), moreRefusals: [.conflict, .insufficientStorage],
                service: .session(upload)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let packages = try await management.packages(of: call.parameter("app")).get()
        return try AdminAnswer.list(packages.map(message), by: .packages, call)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let app = try call.parameter("app")
        guard let package = try await management.hostedPackage(call.parameter("sha256")), package.app == app else {
            throw HTTPProblem(.unknownPackage)
        }
        return try AdminAnswer.json(message(package))
    }

    private func accept(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(PackageRequest.self)
        let accepted = try await management.acceptPackage(
            call.parameter("sha256"), of: call.parameter("app"), isOffered: wish.offer ?? true,
            author: call.session.administrator
        ).get()
        var answer = message(accepted.package)
        answer.specification = accepted.specification.map {
            AdminMessages.PackagedSpecification(
                version: $0.version, taken: $0.isTaken, note: $0.note, warnings: $0.warnings)
        }
        return try AdminAnswer.json(answer)
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removePackage(
            call.parameter("sha256"), of: call.parameter("app"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func progress(_ call: AdminCall) async throws -> Response {
        let progress = try await management.packageProgress(
            call.parameter("sha256"), of: call.parameter("app")
        ).get()
        return try AdminAnswer.json(PackageUpload(received: progress.received, hosted: progress.isHosted))
    }

    private func upload(_ call: AdminCall) async throws -> Response {
        let piece = try ContentRange(call.request.headers[.contentRange])
        guard piece.range.count <= call.limits.packagePieceBytes else { throw HTTPProblem.tooLarge }
        let body = call.request.body
        let progress = try await management.uploadPackage(
            call.parameter("sha256"), of: call.parameter("app"), range: piece.range, total: piece.total
        ) { upload in
            for try await bytes in body {
                if let refusal = try await upload.write(Data(buffer: bytes)) { return refusal }
            }
            return upload.isWhole ? nil : .invalid(rule: "A piece of a package has as many bytes as its range says.")
        }.get(tellingOperator: call.mayManage)
        return try AdminAnswer.json(PackageUpload(received: progress.received, hosted: progress.isHosted))
    }

    private func message(_ package: HostedPackage) -> Package {
        Package(
            sha256: package.sha256, app: package.app, size: package.size, title: package.title,
            version: package.version, shortVersion: package.shortVersion, team: package.team,
            minimumOSVersion: package.minimumOS?.description, minimumAgentVersion: package.minimumAgent?.description,
            author: package.author, uploaded: package.uploaded, unusedSince: package.unusedSince,
            manifestURL: HostedPackage.manifestURL(package.sha256, at: baseURL))
    }
}

/// Which bytes of a whole a body holds: `bytes 0-99/200` (RFC 9110 §14.4).
struct ContentRange: Sendable, Equatable {
    let range: Range<Int>
    let total: Int

    init(_ header: String?) throws(HTTPProblem) {
        guard let range = Self.parsed(header ?? "") else {
            // Digits in the right places that are no part of a whole are a matter of rules, not of form.
            let isForm = header?.wholeMatch(of: /bytes [0-9]{1,19}-[0-9]{1,19}\/[0-9]{1,19}/) != nil
            throw HTTPProblem(
                isForm ? .unprocessableContent : .badRequest, "invalid",
                "A piece needs Content-Range: bytes first-last/total.")
        }
        self = range
    }

    private init(range: Range<Int>, total: Int) {
        self.range = range
        self.total = total
    }

    private static func parsed(_ text: String) -> ContentRange? {
        guard text.utf8.count <= 80, text.hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = ByteRange.number(parts[1]) else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ByteRange.number(ends[0]), let last = ByteRange.number(ends[1]),
            first <= last, last < total
        else { return nil }
        return ContentRange(range: first..<(last + 1), total: total)
    }
}
