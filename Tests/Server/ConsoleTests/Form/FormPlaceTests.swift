import TestInputs
import Testing

@testable import Console

/// The names of a form's fields, which a browser sends back.
@Suite("Names of a form's fields")
struct FormPlaceTests {
    /// Was red: a key that begins with a combining mark made another character of the dot before it, so that its field
    /// was read as none and the value was gone with the next change.
    @Test("a key is found again whatever it is called", arguments: JoiningScalars.some)
    func keys(_ scalar: Unicode.Scalar) throws {
        let name = JoiningScalars.text(scalar, "/", scalar, "~", scalar, "!", scalar, ".", scalar)
        let place = FormPlace([.key(name), .item(3), .key(name)])
        let read = try #require(FormPlace(parsing: place.text))
        guard case .key(let key) = try #require(read.steps.first) else {
            Issue.record("no key: \(place.text)")
            return
        }
        #expect(read == place && key.utf8.elementsEqual(name.utf8))
        let tree = FormTree(Form(fields: [.init(place.name(), "value")]))
        #expect(tree.children[.key(name)]?.children[.item(3)]?.children[.key(name)]?.roles[.value] == "value")
    }
}
