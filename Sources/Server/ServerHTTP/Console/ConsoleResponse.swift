import Console
import Foundation
import HTTPTypes
import Hummingbird

/// The answers to browsers, with their headers.
enum ConsoleResponse {
    static func response(to answer: ConsoleAnswer) -> Response {
        switch answer {
        case .page(let html, let status):
            return PagePolicy.response(html, status: .init(code: status), fields)
        case .file(let content, let type, let name, let isKept):
            var headers = fields
            headers[.contentType] = type
            headers[.cacheControl] = isKept ? "public, max-age=31536000, immutable" : "no-store"
            headers[.contentDisposition] = name.map { "attachment; filename=\"\(fileName($0))\"" }
            return Response(status: .ok, headers: headers, body: ResponseBody(data: Data(content)))
        case .seeOther(let address): return redirect(to: address)
        // Needs the door: `ConsoleRoutes` passes it on.
        case .passedOn: return response(to: ConsolePages.problem(HTTPProblem.notFound.value))
        case .signedIn(let token, let address): return redirect(to: address, cookie: SessionCookie.set(token))
        case .signedOut(let address): return redirect(to: address, cookie: SessionCookie.forgotten)
        }
    }

    /// What is on every answer.
    ///
    /// Nothing comes from elsewhere, nothing goes elsewhere, no page is shown inside another, and what is no script is
    /// never run as one. Browsers send the address of a page to this server alone: with `no-referrer` they would not
    /// send the origin of a form either, and older ones have no other way to send it.
    static let fields: HTTPFields = {
        var fields = PagePolicy.fields(
            allowing: ["style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
            referrer: "same-origin")
        fields[.strictTransportSecurity] = "max-age=31536000"
        fields[.crossOriginOpenerPolicy] = "same-origin"
        fields[.crossOriginResourcePolicy] = "same-origin"
        return fields
    }()

    private static func redirect(to address: String, cookie: String? = nil) -> Response {
        var headers = fields
        headers[.location] = address
        headers[.cacheControl] = "no-store"
        headers[.setCookie] = cookie
        return Response(status: .seeOther, headers: headers)
    }

    /// What everybody's file system takes, and no header ends with.
    private static func fileName(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar -> Character in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains(scalar))
                ? Character(scalar) : "-"
        }
        return String(kept.prefix(128))
    }
}
