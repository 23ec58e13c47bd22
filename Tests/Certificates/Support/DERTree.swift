import CryptographicMessages
import Foundation
import TestInputs

/// DER taken apart, so that a change deep inside keeps the lengths around it right.
///
/// Octets that are thrown at random mostly break the outermost length; these get through to the rules.
struct DERTree {
    private var tag: UInt8
    private var octets: [UInt8] = []
    private var children: [DERTree] = []
    private var length = Length.shortest

    private enum Length: CaseIterable { case shortest, padded, indefinite, tooLong }

    private static let tags: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0a, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x1e, 0x24, 0x30, 0x31, 0x80, 0xa0,
        0xa1, 0xa2, 0x3f,
    ]

    init(_ der: some Sequence<UInt8>) throws {
        let bytes = Array(der)
        var cursor = DERCursor(bytes)
        self.init(try cursor.next(), of: bytes)
    }

    private init(_ element: DERCursor.Element, of bytes: [UInt8]) {
        tag = element.tag
        if tag & 0x20 != 0, let parts = Self.elements(of: bytes, within: element.content) {
            children = parts.map { DERTree($0, of: bytes) }
        } else {
            octets = Array(bytes[element.content])
        }
    }

    private static func elements(of bytes: [UInt8], within range: Range<Int>) -> [DERCursor.Element]? {
        var cursor = DERCursor(bytes, within: range)
        var found: [DERCursor.Element] = []
        while !cursor.isAtEnd {
            guard let element = try? cursor.next() else { return nil }
            found.append(element)
        }
        return found
    }

    var encoded: [UInt8] {
        let content = octets + children.flatMap(\.encoded)
        switch length {
        case .shortest: return CMSCraft.tlv(tag, content)
        case .padded: return [tag, 0x83, 0, UInt8(content.count >> 8 & 0xff), UInt8(content.count & 0xff)] + content
        case .indefinite: return [tag, 0x80] + content + [0, 0]
        case .tooLong: return CMSCraft.tlv(tag, content + [0]).dropLast()
        }
    }

    /// Changes one to three places of the tree.
    mutating func mutate(using random: inout SplitMix64) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let count = count
            let donor = node(Int.random(in: 0..<count, using: &random))
            change(Int.random(in: 0..<count, using: &random), with: donor, &random)
        }
    }

    private var count: Int {
        var all = 1
        for child in children { all += child.count }
        return all
    }

    private func node(_ index: Int) -> DERTree {
        var left = index - 1
        for child in children where left >= 0 {
            let count = child.count
            if left < count { return child.node(left) }
            left -= count
        }
        return self
    }

    private mutating func change(_ index: Int, with donor: DERTree, _ random: inout SplitMix64) {
        guard index > 0 else { return changeHere(with: donor, &random) }
        var left = index - 1
        for place in children.indices {
            let count = children[place].count
            if left < count { return children[place].change(left, with: donor, &random) }
            left -= count
        }
    }

    private mutating func changeHere(with donor: DERTree, _ random: inout SplitMix64) {
        let place = children.indices.randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: tag = Self.tags.randomElement(using: &random) ?? tag
        case 1: length = Length.allCases.randomElement(using: &random) ?? .shortest
        case 2: if let place { children.remove(at: place) }
        case 3: if let place { children.insert(children[place], at: place) }
        case 4: children.shuffle(using: &random)
        case 5: if let place { children[place] = donor } else { self = donor }
        case 6: children.insert(donor, at: place ?? 0)
        case 7: self.wrap(in: [0x30, 0x31, 0xa0, 0x04].randomElement(using: &random) ?? 0x30)
        default:
            octets =
                octets.isEmpty
                ? [.random(in: 0...255, using: &random)]
                : Array(Mutation.mutateDER(Data(octets), using: &random))
        }
    }

    private mutating func wrap(in tag: UInt8) {
        var wrapped = self
        wrapped.tag = tag
        (wrapped.octets, wrapped.children, wrapped.length) = ([], [self], .shortest)
        self = wrapped
    }
}
