package import Foundation
import InputBounds
import JSONSchema

/// The forms in which specifications are published elsewhere, and our own.
package enum SpecificationFormat: String, Sendable, CaseIterable {
    /// Our own; also any JSON Schema of drafts 4 to 2020-12, which is made our own when it is read.
    case jsonSchema = "json-schema"
    case appConfigXML = "appconfig-xml"
    case profileManifest = "profile-manifest"
    case android
    case jamf

    /// The format of a document by what it holds; nothing if it is none of them.
    package static func detected(in data: Data) -> SpecificationFormat? {
        // A byte order mark may stand before anything.
        let start = data.drop { " \t\r\n\u{FEFF}".utf8.contains($0) }
        if start.first == UInt8(ascii: "{") {
            do {
                return detected(try JSONValue(parsing: data, limits: SchemaLimits.document))
            } catch {
                // What is wrong with it says the reader.
                return .jsonSchema
            }
        }
        if data.starts(with: Data("bplist".utf8)) { return .profileManifest }
        guard start.first == UInt8(ascii: "<") else { return nil }
        switch rootName(of: start) {
        case AppConfigXML.root: return .appConfigXML
        case AndroidRestrictions.root: return .android
        case "plist", "dict": return .profileManifest
        default: return nil
        }
    }

    /// The name of an XML document's outermost element, without its prefix, whatever is wrong behind it.
    private static func rootName(of data: Data) -> String? {
        var rest = data
        while let tag = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[tag...].dropFirst()
            let isRemark = rest.starts(with: "!--".utf8)
            guard isRemark || rest.first == UInt8(ascii: "?") || rest.first == UInt8(ascii: "!") else {
                let name = rest.prefix { !" \t\r\n/>".utf8.contains($0) }.prefix(256)
                return String(decoding: name, as: UTF8.self).split(separator: ":").last.map(String.init)
            }
            let ending = Array((isRemark ? "-->" : ">").utf8)
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: ending) }) else { return nil }
            rest = rest[end...].dropFirst(ending.count)
        }
        return nil
    }

    private static func detected(_ document: JSONValue) -> SpecificationFormat? {
        if document["x-app"] != nil { return .jsonSchema }
        if document[JamfSchema.domain] != nil { return .jamf }
        let keys = (document["properties"]?.object ?? [:]).values
        if keys.contains(where: { $0["property_order"] != nil || $0["options"] != nil || $0["propertyOrder"] != nil }) {
            return .jamf
        }
        return document["properties"] != nil || document["$schema"] != nil || document["type"] != nil
            ? .jsonSchema : nil
    }

    private static let unknown =
        "is of no format that is known here: JSON Schema, AppConfig XML, a profile manifest, Android's restrictions or "
        + "a Jamf schema"

    /// Reads a specification of a format, or of the one that is detected.
    ///
    /// What names no app, or another than is meant, is about `bundleIdentifier`.
    package static func read(
        _ data: Data, as format: SpecificationFormat? = nil, bundleIdentifier: String? = nil
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        guard let format = format ?? detected(in: data) else {
            throw SpecificationRefusal(place: "", rule: Self.unknown)
        }
        switch format {
        case .jsonSchema, .jamf: return try readJSON(data, bundleIdentifier)
        case .appConfigXML: return try AppConfigXML.read(data, bundleIdentifier: bundleIdentifier)
        case .profileManifest: return try ProfileManifest.read(data, bundleIdentifier: bundleIdentifier)
        case .android: return try AndroidRestrictions.read(data, bundleIdentifier: bundleIdentifier)
        }
    }

    private static func readJSON(
        _ data: Data, _ bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: data, limits: SchemaLimits.document)
        } catch {
            throw SpecificationRefusal(place: "", rule: "is no acceptable JSON: \(error.sentence)")
        }
        let own = document["x-app"]?["bundleIdentifier"]?.string
        let dialect = document["$schema"]?.string
        let isOurs = own != nil && (dialect == nil || dialect == "https://json-schema.org/draft/2020-12/schema")
        if isOurs, bundleIdentifier == nil || bundleIdentifier == own {
            return Converted(try AppSpecification(document))
        }
        return try JamfSchema.read(document, bundleIdentifier: bundleIdentifier)
    }

    /// Writes a specification in a format; refuses where nothing of it can be carried and the format wants something.
    package static func write(
        _ specification: AppSpecification, as format: SpecificationFormat
    ) throws(SpecificationRefusal) -> Converted<Data> {
        switch format {
        case .jsonSchema: Converted(specification.canonical())
        case .appConfigXML: try AppConfigXML.write(specification)
        case .profileManifest: ProfileManifest.write(specification)
        case .android: try AndroidRestrictions.write(specification)
        case .jamf: JamfSchema.write(specification)
        }
    }
}
