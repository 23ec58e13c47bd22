import JSONSchema

/// What was made of a document or a specification, and what that did not carry.
package struct Converted<Value: Sendable>: Sendable {
    package let value: Value
    package let notes: [ConversionNote]

    package init(_ value: Value, notes: [ConversionNote] = []) {
        self.value = value
        self.notes = notes
    }

    package var losses: [ConversionNote] { notes.filter { $0.kind == .loss } }
    package var warnings: [ConversionNote] { notes.filter { $0.kind == .warning } }
}

/// Something that a conversion left out, or read or wrote otherwise than by the letter.
package struct ConversionNote: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        /// It is not in what was made.
        case loss
        /// It is there, but was guessed, mended or made up.
        case warning
    }

    package let kind: Kind
    /// Which key it is about; empty for the whole.
    package let path: SpecifiedPath
    /// The schema's keyword, or the word of the other format where the schema has none for it.
    package let keyword: String
    /// A sentence that quotes nothing longer than a name.
    package let explanation: String

    package init(_ kind: Kind, _ path: SpecifiedPath = [], _ keyword: String, _ explanation: String) {
        (self.kind, self.path, self.keyword, self.explanation) = (kind, path, keyword, explanation)
    }

    package var description: String {
        let place = path.steps.isEmpty ? "the document" : path.description
        return "\(kind.rawValue): \(place): \(keyword): \(explanation)"
    }
}

/// Which key of a specification: `servers[].port`.
package struct SpecifiedPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByArrayLiteral {
    package enum Step: Hashable, Sendable {
        case key(String)
        /// Whatever a list holds.
        case item
        /// Whatever a dictionary holds under keys that are not listed.
        case value
    }

    package var steps: [Step]

    package init(arrayLiteral steps: Step...) { self.steps = steps }

    package static func + (path: SpecifiedPath, step: Step) -> SpecifiedPath {
        var longer = path
        longer.steps.append(step)
        return longer
    }

    /// As violations write it: a key that holds a dot or a bracket stands in quotes.
    package var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .item: text += "[]"
            case .value: text += text.isEmpty ? "*" : ".*"
            case .key(let key):
                if !text.isEmpty { text += "." }
                text += InstancePath([.key(key)]).description
            }
        }
        return text
    }
}
