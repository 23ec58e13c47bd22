extension BinaryPropertyList {
    /// What an object amounts to with its references expanded.
    private struct Expanded {
        var objects = 1
        var bytes = 0
        var height = 0
    }

    private struct OpenObject {
        let index: Int
        let references: Int
        let count: Int
        let keys: Int
        var next = 0
        var expanded = Expanded()
    }

    /// Refuses what is too large or too deep when expanded, refers to itself, or is malformed.
    ///
    /// Every reachable object is read once. The references read are never more than `limits.objects`, because each
    /// counts at least once in the expanded size.
    func check(_ bytes: Span<UInt8>, limits: InputLimits) throws(InputRefusal) {
        try checkOffsets(bytes)
        var known = [Expanded?](repeating: nil, count: count)
        var isOpen = [Bool](repeating: false, count: count)
        var open: [OpenObject] = []
        var references = 0
        var pending: Int? = topObject
        while true {
            if let index = pending {
                pending = nil
                let object = try object(bytes, index)
                let container: OpenObject
                switch object {
                case .scalar:
                    known[index] = Expanded()
                    continue
                case .text(let start, let count, let wide):
                    try checkText(bytes, start, count, wide: wide)
                    known[index] = Expanded(bytes: wide ? count * 2 : count)
                    continue
                case .data(_, let count):
                    known[index] = Expanded(bytes: count)
                    continue
                case .array(let start, let count):
                    container = OpenObject(index: index, references: start, count: count, keys: 0)
                case .dictionary(let start, let count):
                    container = OpenObject(index: index, references: start, count: count * 2, keys: count)
                }
                references += container.count
                guard references <= limits.objects else {
                    throw InputRefusal("the property list holds too many values")
                }
                guard open.count < limits.depth else { throw InputRefusal("the property list nests too deeply") }
                isOpen[index] = true
                open.append(container)
            }
            guard let innermost = open.indices.last else { break }
            pending = try step(bytes, innermost, &open, known, isOpen, limits)
            if pending == nil && open[innermost].next == open[innermost].count {
                let closed = open.removeLast()
                isOpen[closed.index] = false
                known[closed.index] = closed.expanded
            }
        }
        guard let whole = known[topObject], whole.height <= limits.depth else {
            throw InputRefusal("the property list nests too deeply")
        }
    }

    /// Adds the children of the innermost container that are already known; returns the first that is not.
    private func step(
        _ bytes: Span<UInt8>, _ innermost: Int, _ open: inout [OpenObject], _ known: [Expanded?], _ isOpen: [Bool],
        _ limits: InputLimits
    ) throws(InputRefusal) -> Int? {
        var container = open[innermost]
        defer { open[innermost] = container }
        if container.next == 0 { container.expanded.height = 1 }
        while container.next < container.count {
            let child = try reference(bytes, container.references, container.next)
            guard !isOpen[child] else { throw InputRefusal("the property list refers to itself") }
            guard let size = known[child] else { return child }
            if container.next < container.keys {
                guard case .text = try object(bytes, child) else { throw InputRefusal("a key is not a string") }
            }
            container.expanded.objects += size.objects
            container.expanded.bytes += size.bytes
            container.expanded.height = max(container.expanded.height, size.height + 1)
            guard container.expanded.objects <= limits.objects else {
                throw InputRefusal("the property list holds too many values")
            }
            guard container.expanded.bytes <= limits.bytes else {
                throw InputRefusal("the property list is larger than allowed")
            }
            guard container.expanded.height <= limits.depth else {
                throw InputRefusal("the property list nests too deeply")
            }
            container.next += 1
        }
        return nil
    }

    private func checkText(_ bytes: Span<UInt8>, _ start: Int, _ count: Int, wide: Bool) throws(InputRefusal) {
        guard wide else {
            for index in start..<(start + count) where bytes[index] >= 0x80 || bytes[index] == 0 {
                throw InputRefusal("a text is not ASCII as it says")
            }
            return
        }
        var leading = false
        for index in 0..<count {
            let unit = UInt16(bytes[start + 2 * index]) << 8 | UInt16(bytes[start + 2 * index + 1])
            guard unit != 0 else { throw InputRefusal("a text holds a NUL") }
            guard UTF16.isTrailSurrogate(unit) == leading else { throw InputRefusal("a text is not UTF-16") }
            leading = UTF16.isLeadSurrogate(unit)
        }
        guard !leading else { throw InputRefusal("a text is not UTF-16") }
    }
}
