import InputBounds

/// Where a field of a configuration's form stands, and the name by which a browser sends it back.
///
/// Keys of the specification are distinguished from typed keys: the latter are numbered, and their names are fields
/// themselves.
struct FormPlace: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// A key that the specification names.
        case key(String)
        case item(Int)
        /// A key that it does not name, in the order of the page.
        case entry(Int)
    }

    /// What a field says of its place.
    enum Role: String, Sendable {
        case value = ""
        /// That a list or a dictionary is there, or an empty text.
        case isSet = "set"
        /// The name of an entry.
        case name
        /// A property list in XML, as it is typed.
        case raw
        /// A property list that no field carries, in Base64.
        case kept
    }

    /// Deeper than any property list.
    static let deepest = 128

    var steps: [Step]

    init(_ steps: [Step] = []) { self.steps = steps }

    /// Reads a place out of the text that names it.
    init?(parsing text: some StringProtocol) {
        steps = []
        guard !text.isEmpty else { return }
        // By scalars: a key may begin with a combining mark, which would make another character of the mark before it.
        let scalars = String.UnicodeScalarView(text.unicodeScalars)
        for part in scalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let mark = part.first, let step = Self.step(mark, String(part.dropFirst())) else { return nil }
            steps.append(step)
        }
        guard scalars.first == "/", steps.count <= Self.deepest else { return nil }
    }

    private static func step(_ mark: Unicode.Scalar, _ text: String) -> Step? {
        switch mark {
        case ".":
            .key(
                text.replacing(scalars: "~2", with: "!").replacing(scalars: "~1", with: "/")
                    .replacing(scalars: "~0", with: "~"))
        case "#": Int(text).flatMap { $0 >= 0 ? .item($0) : nil }
        case "*": Int(text).flatMap { $0 >= 0 ? .entry($0) : nil }
        default: nil
        }
    }

    /// The same place as text; what reads it back is `init(parsing:)`.
    var text: String {
        steps.map { step in
            switch step {
            case .key(let name):
                "/."
                    + name.replacing(scalars: "~", with: "~0").replacing(scalars: "/", with: "~1")
                    .replacing(scalars: "!", with: "~2")
            case .item(let index): "/#\(index)"
            case .entry(let index): "/*\(index)"
            }
        }.joined()
    }

    /// The field's name.
    func name(_ role: Role = .value) -> String { text + "!" + role.rawValue }

    /// What refers to the field on its page: an identifier in HTML and in an address.
    var id: String {
        "c"
            + text.utf8.map { byte in
                let letter = Character(UnicodeScalar(byte))
                return letter.isASCII && (letter.isLetter || letter.isNumber)
                    ? String(letter) : "_" + String(byte, radix: 16)
            }.joined()
    }

    func below(_ step: Step) -> FormPlace { FormPlace(steps + [step]) }
}

/// The fields that a browser sent, each where it belongs.
struct FormTree: Sendable {
    private(set) var roles: [FormPlace.Role: String] = [:]
    private(set) var children: [FormPlace.Step: FormTree] = [:]

    /// Takes the fields of a configuration out of a form; others have names that begin with a letter.
    init(_ form: Form) {
        for field in form.fields {
            let name = field.name.unicodeScalars
            guard let mark = name.lastIndex(of: "!"), let place = FormPlace(parsing: String(name[..<mark])),
                let role = FormPlace.Role(rawValue: String(name[name.index(after: mark)...]))
            else { continue }
            // A browser ends lines as the network does.
            put(field.value.replacing("\r\n", with: "\n"), role, at: place.steps[...])
        }
    }

    private init() {}

    private mutating func put(_ value: String, _ role: FormPlace.Role, at steps: ArraySlice<FormPlace.Step>) {
        guard let step = steps.first else {
            roles[role] = value
            return
        }
        children[step, default: FormTree()].put(value, role, at: steps.dropFirst())
    }

    /// The items of a list, or the entries of a dictionary, in order.
    func ordered(_ index: (FormPlace.Step) -> Int?) -> [FormTree] {
        children.compactMap { step, tree in index(step).map { ($0, tree) } }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
