import Foundation

extension JSONValue {
    /// The document that describes a value; bytes become Base64 text.
    package init(encoding value: some Encodable) throws {
        let draft = JSONDraft([])
        try draft.encode(value)
        self = draft.finished()
    }
}

/// One place in a document that is being made.
private final class JSONDraft: Encoder, SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private var value = JSONValue.object([:])
    private var members: [(name: String, draft: JSONDraft)]?
    private(set) var items: [JSONDraft]?

    init(_ codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    func finished() -> JSONValue {
        if let members {
            return .object(Dictionary(members.map { ($0.name, $0.draft.finished()) }) { _, newest in newest })
        }
        return items.map { .array($0.map { $0.finished() }) } ?? value
    }

    func member(_ key: any CodingKey) -> JSONDraft {
        let draft = JSONDraft(codingPath + [key])
        members?.append((key.stringValue, draft))
        return draft
    }

    func item() -> JSONDraft {
        let draft = JSONDraft(codingPath + [JSONKey(intValue: items?.count ?? 0)])
        items?.append(draft)
        return draft
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        members = members ?? []
        return KeyedEncodingContainer(JSONDraftMembers(draft: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        items = items ?? []
        return JSONDraftItems(draft: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { value = .null }
    func encode(_ flag: Bool) { value = .boolean(flag) }
    func encode(_ text: String) { value = .string(text) }
    func encode(_ number: some BinaryFloatingPoint & Encodable) { value = .real(Double(number)) }

    func encode(_ number: some FixedWidthInteger & Encodable) throws {
        guard let exact = Int64(exactly: number) else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: codingPath, debugDescription: "a number has at most 64 bits"))
        }
        value = .integer(exact)
    }

    func encode(_ other: some Encodable) throws {
        guard let bytes = other as? Data else { return try other.encode(to: self) }
        value = .string(bytes.base64EncodedString())
    }
}

/// Members of an object, as a type writes them.
private struct JSONDraftMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let draft: JSONDraft
    var codingPath: [any CodingKey] { draft.codingPath }

    func encodeNil(forKey key: Key) { draft.member(key).encodeNil() }
    func encode(_ value: some Encodable, forKey key: Key) throws { try draft.member(key).encode(value) }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Other> {
        draft.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        draft.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { draft.member(JSONKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { draft.member(key) }
}

/// Items of an array, as a type writes them.
private struct JSONDraftItems: UnkeyedEncodingContainer {
    let draft: JSONDraft
    var codingPath: [any CodingKey] { draft.codingPath }
    var count: Int { draft.items?.count ?? 0 }

    func encodeNil() { draft.item().encodeNil() }
    func encode(_ value: some Encodable) throws { try draft.item().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        draft.item().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { draft.item().unkeyedContainer() }
    func superEncoder() -> any Encoder { draft.item() }
}
