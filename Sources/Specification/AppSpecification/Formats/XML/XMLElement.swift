package import Foundation
package import InputBounds

/// An element of an XML document with what lies inside.
package struct XMLElement: Hashable, Sendable {
    /// With its prefix, if it has one.
    package var name: String
    package var attributes: [String: String] = [:]
    package var children: [XMLElement] = []
    /// Its characters, without those of the elements inside.
    package var text = ""

    init(_ name: String) { self.name = name }

    /// Reads a document within `limits`, whose objects are elements, attributes and pieces of text.
    ///
    /// It accepts less than XML: UTF-8 only and no document type, so that there are no entities beyond the five and
    /// numeric references.
    package init(parsing data: Data, limits: InputLimits) throws(InputRefusal) {
        guard data.count <= limits.bytes else { throw InputRefusal("the XML document is larger than allowed") }
        guard !data.starts(with: [0xFF, 0xFE]), !data.starts(with: [0xFE, 0xFF]) else {
            throw InputRefusal("the XML document is UTF-16; save it as UTF-8")
        }
        guard String(validating: data, as: UTF8.self) != nil else {
            throw InputRefusal("the XML document is not UTF-8")
        }
        var reader = XMLReader(bytes: Array(data), limits: limits)
        do throws(InputRefusal) {
            self = try reader.document()
        } catch {
            throw InputRefusal(error.rule, at: InputPlace(of: reader.token, in: data, steps: reader.steps))
        }
    }

    /// The name without its prefix.
    var localName: String { name.split(separator: ":").last.map(String.init) ?? name }

    func children(_ name: String) -> [XMLElement] { children.filter { $0.localName == name } }

    func child(_ name: String) -> XMLElement? { children.first { $0.localName == name } }

    /// Whether something other than white space stands between the elements inside, at any depth.
    var hasTextBetweenElements: Bool {
        !children.isEmpty && text.contains { !$0.isWhitespace } || children.contains { $0.hasTextBetweenElements }
    }
}
