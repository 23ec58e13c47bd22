package import Foundation

/// A request for a page, or a form that somebody sent from one.
package struct ConsoleRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// Under `/console`, decoded, without empty parts.
    package let path: [String]
    package let query: [String: String]
    /// The fields of the form, in the order of the page; empty for a page that is only read.
    package let form: Form
    /// What every form on the page carries, so that only our own pages can send one; nothing for somebody who is not
    /// signed in.
    package let formToken: String?
    package let now: Date

    package init(
        method: Method, path: [String], query: [String: String], form: Form = Form(fields: []), formToken: String?,
        now: Date
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.form = form
        self.formToken = formToken
        self.now = now
    }
}

/// The fields of a form; a name may come more than once.
package struct Form: Sendable, Equatable {
    /// The field that proves that a form comes from this console; the server has checked and removed it.
    package static let tokenName = "form-token"

    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let fields: [Field]

    package init(fields: [Field]) {
        self.fields = fields
    }

    /// The last field of that name.
    package subscript(name: String) -> String? {
        fields.last { $0.name == name }?.value
    }
}

/// What a browser gets.
package enum ConsoleAnswer: Sendable {
    /// A whole page.
    case page(HTML, status: Int = 200)
    /// After a form: the address of the page that shows what came of it.
    case seeOther(String)
    /// What a page has beside itself; `type` is its media type. One with a name is for saving, one that is kept has its
    /// content's digest in its address.
    case file([UInt8], type: String, name: String? = nil, isKept: Bool = false)
    /// What the API says under a path, passed on as it comes: it may be longer than a page holds.
    case passedOn(String)
    /// Somebody signed in: the browser keeps the session's token from now on, and looks at an address.
    case signedIn(token: String, to: String)
    /// The session has ended: the browser forgets its token, and looks at an address.
    case signedOut(to: String)
}
