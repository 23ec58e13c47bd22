import Console
import HTTPTypes
import Hummingbird
import NIOCore

/// The headers of each page of this server: the console's pages and those for people who enroll.
///
/// Markup is escaped where it is made (`HTML`). This is for the day on which it is not: what got into a page all the
/// same runs nothing, fetches nothing and sends no form elsewhere.
enum PagePolicy {
    /// The fields of a page that is shown inside no other.
    ///
    /// `sources` are directives for what the page is made of, `targets` are where its forms lead. Browsers hold the
    /// redirection that answers a form to `targets`, too.
    static func fields(
        allowing sources: [String] = [], formsTo targets: String = "'self'", referrer: String = "no-referrer"
    ) -> HTTPFields {
        let directives =
            ["default-src 'none'"] + sources
            + ["form-action \(targets)", "frame-ancestors 'none'", "base-uri 'none'"]
        return [
            .contentSecurityPolicy: directives.joined(separator: "; "), .xContentTypeOptions: "nosniff",
            // For browsers that do not know `frame-ancestors`.
            .xFrameOptions: "DENY", .referrerPolicy: referrer,
        ]
    }

    /// A page with these fields, which no cache keeps.
    static func response(_ page: HTML, status: HTTPResponse.Status, _ fields: HTTPFields) -> Response {
        response(page.text, type: "text/html; charset=utf-8", status: status, fields)
    }

    /// A sentence without markup, for people who came by a link and for programs.
    static func sentence(_ text: String, status: HTTPResponse.Status) -> Response {
        response(text + "\n", type: "text/plain; charset=utf-8", status: status, fields())
    }

    private static func response(
        _ text: String, type: String, status: HTTPResponse.Status, _ fields: HTTPFields
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        fields[.cacheControl] = "no-store"
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
