import HTTPTypes
import Hummingbird
import HummingbirdCore
import Management

/// The entity tags and cursors of the administrators' API in the form for clients, which includes the era.
///
/// After a restore, versions count on from the backup, so a number may come twice with different values. A tag of
/// another era matches nothing, and a change that depends on it is refused. The routes do not see eras. Before the
/// first restore, tags have none.
struct EraTags: Sendable {
    /// The tags of the request that the present task answers.
    @TaskLocal static var current = EraTags(nil)

    /// The tag that the routes see if a client names only tags of other eras: nothing has it.
    private static let former = EntityTag("-").text
    /// The number of digits of an era's random identifier in a tag; enough to tell two eras apart.
    private static let digits = 12

    /// The end of each tag, before its quote; nil before the first restore.
    private let suffix: String?

    init(_ era: Era?) {
        suffix = era.map { "-\($0.id.prefix(Self.digits))" }
    }

    // MARK: In

    /// A request in the form for the routes.
    func inward(_ request: Request) -> Request {
        guard suffix != nil else { return request }
        var head = request.head
        for name in [HTTPField.Name.ifMatch, .ifNoneMatch] {
            guard let condition = head.headerFields[name] else { continue }
            head.headerFields[name] = inward(condition)
        }
        return Request(head: head, body: request.body)
    }

    /// The tags of the present era, without the era.
    ///
    /// A condition that is not a list of tags stays as it is: the routes refuse it.
    func inward(_ condition: String) -> String {
        guard let suffix, case .tags(let tags) = EntityTagList(condition), !tags.isEmpty else { return condition }
        let present = tags.compactMap { tag -> String? in
            guard tag.text.hasSuffix("\(suffix)\"") else { return nil }
            return "\(tag.isWeak ? "W/" : "")\(tag.text.dropLast(suffix.count + 1))\""
        }
        return present.isEmpty ? Self.former : present.joined(separator: ", ")
    }

    /// The cursor of a page in the form for the store.
    func inward(cursor: String?) throws(HTTPProblem) -> String? {
        guard let suffix, let cursor else { return cursor }
        // Compared by bytes: the last scalar of a cursor and the suffix may form one character.
        let bytes = suffix.utf8.count
        guard cursor.utf8.suffix(bytes).elementsEqual(suffix.utf8) else { throw HTTPProblem.cursorBeforeRestore }
        return String(Substring(cursor.utf8.dropLast(bytes)))
    }

    /// Whether a request, in the form for the routes, names only tags of other eras.
    func areFormer(in request: Request) -> Bool {
        suffix != nil && request.headers[.ifMatch] == Self.former
    }

    // MARK: Out

    /// The cursor of the next page in the form for clients.
    func outward(cursor: String?) -> String? { cursor.map { $0 + (suffix ?? "") } }

    /// An answer in the form for clients.
    func outward(_ response: Response) -> Response {
        guard let suffix, let tag = response.headers[.eTag] else { return response }
        var response = response
        response.headers[.eTag] = "\(tag.dropLast())\(suffix)\""
        return response
    }
}
