package import InputBounds

/// A key of a configuration, as its schema describes it: what forms, pages and other formats are made of.
///
/// A schema can say more than this holds, such as that one of several forms is wanted: `others` names those keywords,
/// so that a writer of another format can list what it leaves out.
package struct SpecifiedKey: Hashable, Sendable {
    /// The key in its dictionary; empty for the configuration itself and for what a list holds.
    package var name: String
    package var type: SpecifiedType
    package var title: String?
    package var description: String?
    package var isRequired = false
    package var defaultValue: JSONValue?
    package var examples: [JSONValue] = []
    /// The only values there are, if they are listed.
    package var choices: [SpecifiedChoice]?
    package var bounds = SpecifiedBounds()
    package var deprecation: SpecifiedDeprecation?
    /// The app's first version that knows the key.
    package var since: String?
    /// Where it stands among its neighbours; those without follow, by name.
    package var order: Int?
    /// The heading it stands under.
    package var group: String?
    /// Whether forms leave it out.
    package var isHidden = false
    /// Whether its value is for few eyes; what is truly secret is no configuration.
    package var isSensitive = false
    /// The variable that the server fills in for each device or person by default.
    package var variable: SpecifiedVariable?
    /// Title and description in other languages, by language tag.
    package var translations: [String: SpecifiedTranslation] = [:]

    /// What a dictionary holds, in order.
    package var keys: [SpecifiedKey] = []
    /// Whether a dictionary may hold keys that are not listed.
    package var isOpen = true
    /// What a list holds: one or nothing.
    package var item: [SpecifiedKey] = []
    /// What a dictionary holds under keys that are not listed: one or nothing.
    package var values: [SpecifiedKey] = []

    /// What has to hold between the keys of a dictionary: schemas of nothing but `if` and `then` about these keys.
    ///
    /// They are all that `allOf` holds, which `others` names.
    package var conditions: [JSONValue] = []

    /// Keywords that say more, in order.
    package var others: [String] = []
    /// Annotations that nothing here holds, in order.
    package var annotations: [String] = []

    package init(_ name: String, _ type: SpecifiedType) {
        self.name = name
        self.type = type
    }

    /// The key of that name in this dictionary.
    package subscript(name: String) -> SpecifiedKey? { keys.first { $0.name == name } }
}

/// The types of property lists.
package enum SpecifiedType: String, Hashable, Sendable, CaseIterable {
    case string, integer, real, boolean, date, data, array, dictionary
    /// Several types, or no stated type.
    case any
}

/// One of the values that a key may have.
package struct SpecifiedChoice: Hashable, Sendable {
    package var value: JSONValue
    /// What people are shown for it.
    package var title: String?

    package init(value: JSONValue, title: String? = nil) {
        self.value = value
        self.title = title
    }
}

/// Between which a value lies.
package struct SpecifiedBounds: Hashable, Sendable {
    /// Numbers.
    package var minimum: JSONValue?
    package var maximum: JSONValue?
    package var exclusiveMinimum: JSONValue?
    package var exclusiveMaximum: JSONValue?
    package var multipleOf: JSONValue?
    /// Characters of a text.
    package var minLength: Int?
    package var maxLength: Int?
    package var pattern: String?
    package var format: String?
    /// Items of a list.
    package var minItems: Int?
    package var maxItems: Int?
    package var uniqueItems = false
    /// Keys of a dictionary.
    package var minProperties: Int?
    package var maxProperties: Int?
    /// Dates, as `YYYY-MM-DDThh:mm:ssZ`.
    package var earliest: String?
    package var latest: String?
    /// Bytes of data.
    package var minBytes: Int?
    package var maxBytes: Int?

    package init() {}
}

/// That a key should not be used any more: `deprecated` and `x-deprecated`.
package struct SpecifiedDeprecation: Hashable, Sendable {
    /// The app's version from which on it is not used, the one from which on it is not read, and what is used instead.
    package var since: String?
    package var until: String?
    package var replacedBy: String?
    package var note: String?

    package init(since: String? = nil, until: String? = nil, replacedBy: String? = nil, note: String? = nil) {
        self.since = since
        self.until = until
        self.replacedBy = replacedBy
        self.note = note
    }
}

/// A value that the server knows of a device or a person: `x-variable`.
package struct SpecifiedVariable: Hashable, Sendable {
    package var scope: String
    package var name: String

    package init(scope: String, name: String) {
        self.scope = scope
        self.name = name
    }
}

package struct SpecifiedTranslation: Hashable, Sendable {
    package var title: String?
    package var description: String?

    package init(title: String? = nil, description: String? = nil) {
        self.title = title
        self.description = description
    }
}
