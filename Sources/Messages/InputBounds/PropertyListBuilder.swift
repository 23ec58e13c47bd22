/// Builds a value from the parts a reader hands over.
struct PropertyListBuilder: PropertyListSink {
    private struct OpenContainer {
        let isDictionary: Bool
        var items: [PropertyListValue] = []
        var entries: [String: PropertyListValue] = [:]
        var key: String?
    }

    private var open: [OpenContainer] = []
    private var root: PropertyListValue?

    /// The value, once the reader is through.
    func finished() throws(InputRefusal) -> PropertyListValue {
        guard let root else { throw InputRefusal("a property list holds one value") }
        return root
    }

    /// The keys and indices on the way to what is read at the moment.
    var steps: [String] {
        open.compactMap { $0.isDictionary ? $0.key : "[\($0.items.count)]" }
    }

    mutating func beginDictionary() {
        open.append(OpenContainer(isDictionary: true))
    }

    mutating func beginArray() {
        open.append(OpenContainer(isDictionary: false))
    }

    mutating func end() {
        guard let closed = open.popLast() else { return }
        add(closed.isDictionary ? .dictionary(closed.entries) : .array(closed.items))
    }

    mutating func key(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal) {
        let key = try XMLText.decode(text, escaped: escaped)
        guard !open.isEmpty else { return }
        open[open.count - 1].key = key
        guard open[open.count - 1].entries[key] == nil else {
            throw InputRefusal("a dictionary holds the same key twice")
        }
    }

    mutating func string(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal) {
        add(.string(try XMLText.decode(text, escaped: escaped)))
    }

    mutating func data(_ base64: Span<UInt8>, count: Int) {
        add(.data(Base64Text.decode(base64, count: count)))
    }

    mutating func scalar(_ value: PropertyListValue) {
        add(value)
    }

    private mutating func add(_ value: PropertyListValue) {
        guard !open.isEmpty else {
            root = value
            return
        }
        let innermost = open.count - 1
        if open[innermost].isDictionary {
            guard let key = open[innermost].key.take() else { return }
            open[innermost].entries[key] = value
        } else {
            open[innermost].items.append(value)
        }
    }
}
