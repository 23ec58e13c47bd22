package import Foundation
package import InputBounds

/// What a device reports of itself: all of it, or what changed since the last report that was received.
package struct StatusReport: Hashable, Sendable {
    /// A status item that the device could not provide.
    package struct Failure: Hashable, Sendable {
        package var statusItem: String
        package var reasons: [StatusReason]

        package init(statusItem: String, reasons: [StatusReason] = []) {
            self.statusItem = statusItem
            self.reasons = reasons
        }
    }

    /// An object nested along the dots of the items' names.
    package private(set) var items: JSONValue
    package var errors: [Failure]
    /// Replaces everything that was reported before.
    package var fullReport: Bool

    package init(items: JSONValue = .object([:]), errors: [Failure] = [], fullReport: Bool = false) {
        self.items = items.object == nil ? .object([:]) : items
        self.errors = errors
        self.fullReport = fullReport
    }

    /// Reads the JSON document inside a `status` message, as far as it can be read.
    package init(parsing data: Data) throws(InputRefusal) {
        self = try Self.read(data).value
    }

    /// The same, with the places that were read only in part.
    ///
    /// The elements of the lists of apps and declarations are looked at as well: each that cannot be read is lost alone.
    package static func read(_ data: Data) throws(InputRefusal) -> LenientReading<StatusReport> {
        let document = try JSONValue.reading(data, limits: .statusReport)
        var said = SaidFields(try JSONFields(document.value), document.oddities)
        let items = try said.fields.value("StatusItems")
        guard items.object != nil else { throw InputRefusal("the key StatusItems is not an object") }
        var report = StatusReport(items: items)
        for (index, value) in said.items("Errors").enumerated() {
            let place = "Errors[\(index)]"
            do throws(InputRefusal) {
                var failure = SaidFields(try JSONFields(value))
                let item = try failure.fields.string("StatusItem", limit: 256)
                report.errors.append(Failure(statusItem: item, reasons: failure.reasons("Reasons", capitalised: true)))
                said.add(failure.oddities, under: place)
            } catch {
                said.note(at: place, error.rule)
            }
        }
        report.fullReport = said.flag("FullReport") ?? false
        report.noteLists(&said)
        return LenientReading(report, said.oddities)
    }

    private func noteLists(_ said: inout SaidFields<JSONValue>) {
        if let list = value(at: AppStatus.name) {
            if list.array == nil { said.note(at: AppStatus.name, "the list of managed apps is not an array") }
            for (index, item) in (list.array ?? []).enumerated() {
                let place = "\(AppStatus.name)[\(index)]"
                do throws(InputRefusal) {
                    said.add(try AppStatus.read(item).oddities, under: place)
                } catch {
                    said.note(at: place, error.rule)
                }
            }
        }
        if let list = value(at: CommandedAppStatus.name) { Self.noteCommandedApps(list, &said) }
        if let list = value(at: AppFeedbackStatus.name) { Self.noteFeedback(list, &said) }
        if let value = value(at: DeclarationStatuses.name) {
            do throws(InputRefusal) {
                said.add(try DeclarationStatuses.read(value).oddities, under: DeclarationStatuses.name)
            } catch {
                said.note(at: DeclarationStatuses.name, error.rule)
            }
        }
    }

    private static func noteCommandedApps(_ list: JSONValue, _ said: inout SaidFields<JSONValue>) {
        let name = CommandedAppStatus.name
        guard let elements = list.array else {
            return said.note(at: name, "the list of apps managed by command is not an array")
        }
        for (index, element) in elements.enumerated() {
            let place = "\(name)[\(index)]"
            do throws(InputRefusal) {
                said.add(try CommandedAppStatus.read(element).oddities, under: place)
            } catch {
                said.note(at: place, error.rule)
            }
        }
    }

    private static func noteFeedback(_ list: JSONValue, _ said: inout SaidFields<JSONValue>) {
        let name = AppFeedbackStatus.name
        guard let elements = list.array else { return said.note(at: name, "the feedback of apps is not an array") }
        for (index, element) in elements.enumerated() {
            let place = "\(name)[\(index)]"
            guard index < AppFeedbackStatus.most else {
                return said.note(at: place, "a report brings at most \(AppFeedbackStatus.most) lives of feedback")
            }
            do throws(InputRefusal) {
                said.add(try AppFeedbackStatus.read(element).oddities, under: place)
            } catch {
                said.note(at: place, error.rule)
            }
        }
    }

    package func encoded() -> Data {
        var entries: [String: JSONValue] = ["StatusItems": items]
        entries["Errors"] = .array(
            errors.map { failure in
                var entry = ["StatusItem": JSONValue.string(failure.statusItem)]
                if !failure.reasons.isEmpty {
                    entry["Reasons"] = .array(failure.reasons.map { $0.value(capitalised: true) })
                }
                return .object(entry)
            })
        if fullReport { entries["FullReport"] = .boolean(true) }
        return JSONValue.object(entries).encoded()
    }

    /// The value of an item by its dotted name, such as `app.managed.list`.
    package func value(at name: String) -> JSONValue? {
        var value: JSONValue? = items
        for part in name.split(separator: ".", omittingEmptySubsequences: false) { value = value?[String(part)] }
        return value
    }

    /// Puts an item under its dotted name.
    package mutating func set(_ value: JSONValue, at name: String) {
        items = Self.setting(value, along: name.split(separator: ".")[...], in: items)
    }

    /// The declarations the device holds, where the report speaks of them.
    package func declarations() throws(InputRefusal) -> DeclarationStatuses? {
        guard let value = value(at: DeclarationStatuses.name) else { return nil }
        return try DeclarationStatuses(value)
    }

    /// The managed apps that the report speaks of, as far as they can be read; removed ones are among them.
    package func apps() throws(InputRefusal) -> [AppStatus]? {
        guard let value = value(at: AppStatus.name) else { return nil }
        guard let list = value.array else { throw InputRefusal("the list of managed apps is not an array") }
        return list.compactMap { try? AppStatus($0) }
    }

    private static func setting(_ value: JSONValue, along path: ArraySlice<Substring>, in old: JSONValue?) -> JSONValue
    {
        guard let first = path.first else { return value }
        var object = old?.object ?? [:]
        object[String(first)] = setting(value, along: path.dropFirst(), in: object[String(first)])
        return .object(object)
    }
}

/// Why something is as it is: a code, and what belongs to it.
package struct StatusReason: Hashable, Sendable {
    /// A configuration refers to assets that are missing.
    package static let missingAssets = "Error.MissingAssets"

    package var code: String
    package var description: String?
    package var details: JSONValue?

    package init(code: String, description: String? = nil, details: JSONValue? = nil) {
        self.code = code
        self.description = description
        self.details = details
    }

    /// Reasons have lower-case keys, except inside a report's `Errors`.
    init(_ value: JSONValue, capitalised: Bool = false) throws(InputRefusal) {
        let fields = try JSONFields(value)
        code = try fields.string(capitalised ? "Code" : "code", limit: 256)
        // Both are for people: what of them cannot be read does not cost the code.
        description = fields.entries[capitalised ? "Description" : "description"]?.string?.cut(toBytes: 65_536)
        details = fields.entries[capitalised ? "Details" : "details"]?.object.map { .object($0) }
    }

    func value(capitalised: Bool = false) -> JSONValue {
        var entries = [capitalised ? "Code" : "code": JSONValue.string(code)]
        if let description { entries[capitalised ? "Description" : "description"] = .string(description) }
        if let details { entries[capitalised ? "Details" : "details"] = details }
        return .object(entries)
    }
}
