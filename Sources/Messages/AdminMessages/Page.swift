/// One page of a list.
///
/// `next` is the `cursor` of the page that follows; without it this page is the last.
package struct Page<Item: Codable & Sendable>: Codable, Sendable {
    package var items: [Item]
    package var next: String?

    package init(items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}
