import Foundation
import InputBounds

/// Reads what a specification says beside its schema.
struct SpecificationReader {
    private let document: JSONValue

    init(_ document: JSONValue) { self.document = document }

    func app(of inside: String?) throws(SpecificationRefusal) -> SpecifiedApp {
        guard document.object != nil else { throw SpecificationRefusal(place: "", rule: "is no object") }
        let (title, description) = (try text("title", document, ""), try text("description", document, ""))
        if let inside {
            try checkIdentifier(inside, "")
            return SpecifiedApp(bundleIdentifier: inside, title: title, description: description)
        }
        guard let app = document["x-app"], app.object != nil else {
            throw SpecificationRefusal(place: "/x-app", rule: "must say which app this is about")
        }
        guard let identifier = try text("bundleIdentifier", app, "/x-app") else {
            throw SpecificationRefusal(place: "/x-app/bundleIdentifier", rule: "must be there")
        }
        try checkIdentifier(identifier, "/x-app/bundleIdentifier")
        var platforms: [String: String?] = [:]
        if let named = app["platforms"] {
            guard let entries = named.object, entries.count <= 32 else {
                throw SpecificationRefusal(place: "/x-app/platforms", rule: "is no object of at most 32 platforms")
            }
            for (name, platform) in entries {
                platforms[name] = .some(try text("minimumVersion", platform, "/x-app/platforms/" + name))
            }
        }
        return SpecifiedApp(
            bundleIdentifier: identifier, version: try text("version", app, "/x-app"), title: title,
            description: description, platforms: platforms, website: try website(app))
    }

    /// People follow it from the administrator's console: nothing but an address of the web.
    private func website(_ app: JSONValue) throws(SpecificationRefusal) -> String? {
        guard let address = try text("website", app, "/x-app") else { return nil }
        guard address.utf8.count <= 2_048, address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let parts = URLComponents(string: address), parts.scheme == "https", parts.host?.isEmpty == false,
            parts.user == nil, parts.password == nil
        else { throw SpecificationRefusal(place: "/x-app/website", rule: "must be an https URL") }
        return address
    }

    func secrets() throws(SpecificationRefusal) -> [SpecifiedSecret] {
        var result: [SpecifiedSecret] = []
        for (index, entry) in try list("x-secrets", most: SpecificationLimits.secrets).enumerated() {
            let place = "/x-secrets/\(index)"
            guard let word = entry["kind"]?.string, let kind = SpecifiedSecret.Kind(rawValue: word) else {
                throw SpecificationRefusal(place: place + "/kind", rule: "must be password, certificate or identity")
            }
            let (identifier, prefix) = (try text("identifier", entry, place), try text("prefix", entry, place))
            guard let name = identifier ?? prefix, identifier == nil || prefix == nil, !name.isEmpty else {
                throw SpecificationRefusal(place: place, rule: "must have either an identifier or a prefix")
            }
            result.append(
                SpecifiedSecret(
                    kind: kind, identifier: name, isPrefix: identifier == nil,
                    purpose: try text("purpose", entry, place), isRequired: try flag("required", entry, place)))
        }
        return result
    }

    func errors() throws(SpecificationRefusal) -> [SpecifiedError] {
        var result: [SpecifiedError] = []
        for (index, entry) in try list("x-errors", most: SpecificationLimits.errors).enumerated() {
            let place = "/x-errors/\(index)"
            guard let code = entry["code"]?.int else {
                throw SpecificationRefusal(place: place + "/code", rule: "must be an integer")
            }
            guard let meaning = try text("meaning", entry, place) else {
                throw SpecificationRefusal(place: place + "/meaning", rule: "must be there")
            }
            result.append(
                SpecifiedError(
                    code: code, name: try text("name", entry, place), meaning: meaning,
                    remedy: try text("remedy", entry, place)))
        }
        return result
    }

    func feedback() throws(SpecificationRefusal) -> [SpecifiedFeedback] {
        var result: [SpecifiedFeedback] = []
        for (index, entry) in try list("x-feedback", most: SpecificationLimits.feedback).enumerated() {
            let place = "/x-feedback/\(index)"
            guard let key = try text("key", entry, place), !key.isEmpty else {
                throw SpecificationRefusal(place: place + "/key", rule: "must be there")
            }
            result.append(
                SpecifiedFeedback(
                    key: key, title: try text("title", entry, place),
                    description: try text("description", entry, place), purpose: try text("purpose", entry, place),
                    retention: try text("retention", entry, place)))
        }
        return result
    }

    func samples() throws(SpecificationRefusal) -> [SpecifiedSample] {
        var result: [SpecifiedSample] = []
        for (index, entry) in try list("x-samples", most: SpecificationLimits.samples).enumerated() {
            let place = "/x-samples/\(index)"
            guard let configuration = entry["configuration"], configuration.object != nil else {
                throw SpecificationRefusal(place: place + "/configuration", rule: "must be an object")
            }
            result.append(
                SpecifiedSample(
                    title: try text("title", entry, place) ?? "Sample \(index + 1)",
                    description: try text("description", entry, place), configuration: configuration))
        }
        return result
    }

    func extensions(isInside: Bool) throws(SpecificationRefusal) -> [String: JSONValue] {
        guard let value = document["x-extensions"] else { return [:] }
        guard let entries = value.object, entries.count <= SpecificationLimits.extensions else {
            throw SpecificationRefusal(
                place: "/x-extensions", rule: "is no object of at most \(SpecificationLimits.extensions) specifications"
            )
        }
        guard !isInside || entries.isEmpty else {
            throw SpecificationRefusal(place: "/x-extensions", rule: "an extension has no extensions")
        }
        return entries
    }

    // MARK: Values

    private func checkIdentifier(_ text: String, _ place: String) throws(SpecificationRefusal) {
        let isWord = text.utf8.allSatisfy { byte in
            Character(Unicode.Scalar(byte)).isLetter && byte < 128 || (0x30...0x39).contains(byte) || byte == 0x2D
                || byte == 0x2E || byte == 0x5F
        }
        guard isWord, (1...155).contains(text.utf8.count) else {
            throw SpecificationRefusal(
                place: place, rule: "a bundle identifier is of letters, digits, dots, hyphens and underscores")
        }
    }

    private func text(
        _ key: String, _ value: JSONValue, _ place: String
    ) throws(SpecificationRefusal) -> String? {
        guard let found = value[key] else { return nil }
        guard let text = found.string, text.utf8.count <= SpecificationLimits.text else {
            throw SpecificationRefusal(
                place: place + "/" + key, rule: "is no text of at most \(SpecificationLimits.text) bytes")
        }
        return text
    }

    private func flag(_ key: String, _ value: JSONValue, _ place: String) throws(SpecificationRefusal) -> Bool {
        guard let found = value[key] else { return false }
        guard let flag = found.bool else {
            throw SpecificationRefusal(place: place + "/" + key, rule: "is neither true nor false")
        }
        return flag
    }

    private func list(_ key: String, most: Int) throws(SpecificationRefusal) -> [JSONValue] {
        guard let value = document[key] else { return [] }
        guard let items = value.array, items.count <= most else {
            throw SpecificationRefusal(place: "/" + key, rule: "is no list of at most \(most)")
        }
        return items
    }
}
