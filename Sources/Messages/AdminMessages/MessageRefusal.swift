/// A rule of a message that goes beyond the types of its members; never says what was sent.
package struct MessageRefusal: Error, Hashable, Sendable {
    package let rule: String

    package init(rule: String) { self.rule = rule }
}
