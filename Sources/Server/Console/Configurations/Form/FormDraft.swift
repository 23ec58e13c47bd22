import AppSpecification
import Foundation
import InputBounds

/// What stands in a configuration's form at one place: as it was typed, whether or not its key allows that.
///
/// A property list becomes a draft, a draft becomes the fields of a page, the fields become a draft again, and that a
/// property list: the same one, where nobody changed anything.
indirect enum FormDraft: Hashable, Sendable {
    case unset
    /// A text, a number, a date, data or a choice.
    case text(String)
    /// A property list in XML: for a key without a type, or for a value of another type than its key's.
    case raw(String)
    /// What no field of a page carries, such as control characters.
    case kept(PropertyListValue)
    case list([FormDraft])
    case dictionary(FormDictionary)
}

/// A dictionary in a form.
struct FormDictionary: Hashable, Sendable {
    /// Those of the keys in the specification that are set.
    var keys: [String: FormDraft] = [:]
    /// Keys that it does not name, in the order of the page.
    var others: [FormEntry] = []
}

/// A key that the specification does not name.
struct FormEntry: Hashable, Sendable {
    var name: String
    var value: FormDraft
}

/// How much a form shows; more is edited as text.
enum FormBounds {
    /// Items of one list.
    static let items = 200
    /// Fields in all: a page of so many has about two mebibytes.
    static let fields = 2_000
}

extension FormDraft {
    /// Reads what there is; `isItem` where the value is part of a list or stands under a name that was typed, so that it
    /// cannot be left out.
    init(_ value: PropertyListValue?, as key: SpecifiedKey, isItem: Bool = false) {
        guard let value else {
            self = .unset
            return
        }
        guard !key.isHidden else {
            self = .opaque(value)
            return
        }
        switch (value, key.type) {
        case (.string(let text), .string):
            let isAbsent = text.isEmpty && !isItem && !key.offersEmptyText && !key.isChoice
            self = Self.isCarried(text) && !text.utf8.contains(0x0D) && !isAbsent ? .text(text) : .opaque(value)
        case (.integer(let number), .integer): self = .text("\(number)")
        case (.unsigned(let number), .integer): self = .text("\(number)")
        case (.real(let number), .real) where number.isFinite: self = .text("\(number)")
        case (.boolean(let flag), .boolean): self = .text("\(flag)")
        case (.date(let date), .date): self = .text(PropertyListValue.text(of: date))
        case (.data(let data), .data) where !data.isEmpty: self = .text(data.base64EncodedString())
        case (.array(let items), .array) where items.count <= FormBounds.items:
            let item = key.item.first ?? SpecifiedKey("", .any)
            self = .list(items.map { FormDraft($0, as: item, isItem: true) })
        case (.dictionary(let entries), .dictionary) where entries.keys.allSatisfy(Self.isCarried):
            self = .dictionary(FormDictionary(entries, as: key))
        default: self = .opaque(value)
        }
    }

    /// What a form shows as it is written.
    static func opaque(_ value: PropertyListValue) -> FormDraft {
        let text = PropertyListFragment.text(of: value)
        return isCarried(text) ? .raw(text) : .kept(value)
    }

    /// Whether a page can hold the text and give it back.
    private static func isCarried(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\n" || scalar == "\t" || scalar == "\r"
        }
    }

    /// What a key begins with once it is set, or an item once it is added.
    static func beginning(of key: SpecifiedKey) -> FormDraft {
        if let value = key.defaultValue, let list = try? key.propertyList(value), list.array?.isEmpty != true {
            return FormDraft(list, as: key, isItem: true)
        }
        switch key.type {
        case .array: return .list([])
        case .dictionary:
            let needed = key.keys.filter { $0.isRequired && [.array, .dictionary].contains($0.type) }
            return .dictionary(
                FormDictionary(
                    keys: Dictionary(
                        needed.map { ($0.name, beginning(of: $0)) }, uniquingKeysWith: { first, _ in first })))
        case .any: return .raw("<string></string>")
        default: return .text("")
        }
    }

    /// How many fields a page shows for it.
    func fields(as key: SpecifiedKey) -> Int {
        switch self {
        case .list(let items):
            let item = key.item.first ?? SpecifiedKey("", .any)
            return items.reduce(1) { $0 + $1.fields(as: item) }
        case .dictionary(let dictionary):
            let known = key.keys.reduce(1) { $0 + (dictionary.keys[$1.name] ?? .unset).fields(as: $1) }
            let value = key.values.first ?? SpecifiedKey("", .any)
            return dictionary.others.reduce(known) { $0 + 1 + $1.value.fields(as: value) }
        default: return 1
        }
    }
}

extension FormDictionary {
    fileprivate init(_ entries: [String: PropertyListValue], as key: SpecifiedKey) {
        let value = key.values.first ?? SpecifiedKey("", .any)
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            if let known = key[name] {
                keys[name] = FormDraft(entry, as: known)
            } else {
                others.append(FormEntry(name: name, value: FormDraft(entry, as: value, isItem: true)))
            }
        }
    }
}

extension SpecifiedKey {
    /// Whether its values are picked, not typed.
    var isChoice: Bool { type == .boolean || choiceTexts != nil }

    /// The values to pick from with what people are shown for each; nothing where values are typed.
    var choiceTexts: [(text: String, title: String?)]? {
        guard let choices, ![.array, .dictionary, .any, .boolean].contains(type) else { return nil }
        var texts: [(text: String, title: String?)] = []
        for choice in choices {
            guard let value = try? propertyList(choice.value),
                case .text(let text) = FormDraft(value, as: bare, isItem: true)
            else { return nil }
            texts.append((text, choice.title))
        }
        return texts
    }

    /// The type alone.
    private var bare: SpecifiedKey { SpecifiedKey(name, type) }

    /// Whether a form tells an empty text from none.
    var offersEmptyText: Bool { type == .string && (bounds.minLength ?? 0) == 0 }
}
