import DeviceMessages
import Foundation
import InputBounds
import Testing

/// Holds what we write against the published facts about each type, where the folder with them is present.
@Suite(.enabled(if: SchemaFolder.path != nil, "MARTLET_SCHEMA does not name the schema folder"))
struct SchemaTests {
    private static func keys(_ path: String) throws -> [JSONValue] {
        let folder = try #require(SchemaFolder.path)
        let data = try Data(contentsOf: URL(filePath: folder + "/" + path))
        return try #require(try JSONValue(parsing: data, limits: .adminBody)["keys"]?.array)
    }

    /// Complaints about `value` by the rules of `keys`: missing, unknown and mistyped keys, by path.
    private static func complaints(_ value: JSONValue, _ keys: [JSONValue], at path: String = "") -> [String] {
        guard let object = value.object else { return ["\(path) is no object"] }
        var complaints: [String] = []
        let any = keys.first { $0["key"]?.string?.hasPrefix("ANY") == true }
        let known = Set(keys.compactMap { $0["key"]?.string })
        if any == nil { complaints += object.keys.filter { !known.contains($0) }.map { "\(path).\($0) is unknown" } }
        for key in keys {
            guard let name = key["key"]?.string else { continue }
            let found =
                name.hasPrefix("ANY") ? object.filter { !known.contains($0.key) } : object.filter { $0.key == name }
            if found.isEmpty && key["presence"]?.string == "required" && !name.hasPrefix("ANY") {
                complaints.append("\(path).\(name) is missing")
            }
            for (name, value) in found { complaints += Self.complaints(value, ofType: key, at: "\(path).\(name)") }
        }
        return complaints
    }

    private static func complaints(_ value: JSONValue, ofType key: JSONValue, at path: String) -> [String] {
        if let range = key["rangelist"]?.array, !range.contains(value) { return ["\(path) is out of range"] }
        let subkeys = key["subkeys"]?.array ?? []
        switch key["type"]?.string {
        case "string", "data": return value.string == nil ? ["\(path) is no string"] : []
        case "integer": return value.int == nil ? ["\(path) is no integer"] : []
        case "boolean": return value.bool == nil ? ["\(path) is no boolean"] : []
        case "dictionary": return subkeys.isEmpty ? [] : complaints(value, subkeys, at: path)
        case "array":
            guard let items = value.array else { return ["\(path) is no array"] }
            guard let item = subkeys.first else { return [] }
            return items.flatMap { complaints($0, ofType: item, at: path + "[]") }
        default: return []
        }
    }

    /// A property list as JSON for the comparison; data becomes a string, as the schema's JSON documents have it.
    private static func json(_ value: PropertyListValue) throws -> JSONValue {
        switch value {
        case .data(let data): return .string(data.base64EncodedString())
        case .array(let items): return .array(try items.map(json))
        case .dictionary(let entries): return .object(try entries.mapValues(json))
        default: return try JSONValue(propertyList: value)
        }
    }

    private static func json(_ data: Data) throws -> JSONValue {
        try json(PropertyListValue(parsing: data, limits: .message))
    }

    /// Keys of the other kind of enrollment or channel are required by the letter, and only sent there.
    private static func ofAnotherKind(_ complaint: String) -> Bool {
        let elsewhere = ["EnrollmentID", "EnrollmentUserID", "UDID", "UserLongName", "NotOnConsole"]
        return elsewhere.contains { complaint == ".\($0) is missing" }
    }

    @Test(arguments: [
        ("authenticate-mac.plist", "authenticate"), ("token-update-iphone.plist", "tokenupdate"),
        ("token-update-mac-user.plist", "tokenupdate"), ("check-out.plist", "checkout"),
        ("ddm-status.plist", "declarativemanagement"), ("ddm-tokens.plist", "declarativemanagement"),
    ])
    func writesCheckInMessagesByTheSchema(golden: String, schema: String) throws {
        let written = try CheckInMessage(parsing: Golden.data(golden)).encoded()
        let keys = try Self.keys("mdm/checkin/\(schema).json")
        #expect(Self.complaints(try Self.json(written), keys).filter { !Self.ofAnotherKind($0) } == [])
    }

    @Test func writesTheProfileByTheSchema() throws {
        let profile = try Self.json(EnrollmentProfileTests.ours().encoded())
        #expect(Self.complaints(profile, try Self.keys("mdm/profiles/TopLevel.json")) == [])
        let common = try Self.keys("mdm/profiles/CommonPayloadKeys.json")
        for payload in profile["PayloadContent"]?.array ?? [] {
            let type = try #require(payload["PayloadType"]?.string)
            guard type.hasPrefix("com.apple.") else { continue }
            #expect(Self.complaints(payload, try Self.keys("mdm/profiles/\(type).json") + common) == [])
        }
    }

    @Test func writesDeclarationsByTheSchema() throws {
        let base = try Self.keys("declarative/declarations/declarationbase.json")
        func check(_ payload: some DeclarationPayload, _ path: String) throws {
            let declaration = Declaration(identifier: "a", serverToken: "1", payload)
            #expect(Self.complaints(try JSONValue(parsing: declaration.encoded(), limits: .message), base) == [])
            let keys = try Self.keys("declarative/declarations/\(path).json")
            #expect(Self.complaints(payload.payload, keys) == [])
            #expect(Set(keys.compactMap { $0["key"]?.string }) == type(of: payload).keys, "\(path)")
        }
        let app = try Declaration(parsing: Golden.data("app-managed.json")).read(AppManagedConfiguration.self)
        try check(app, "configurations/app.managed")
        try check(try Declaration(parsing: Golden.data("asset-data.json")).read(DataAsset.self), "assets/data")
        try check(SimpleActivation(standardConfigurations: ["a"], predicate: "TRUEPREDICATE"), "activations/simple")
        try check(StatusSubscriptions(names: ["a"]), "configurations/management.status-subscriptions")
        try check(ServerCapabilities(), "management/server-capabilities")
        try check(OrganizationInfo(name: "a", email: "b", url: "c"), "management/organization-info")
    }

    /// The paths of all values below `keys`; of an array its own.
    private static func leaves(_ keys: [JSONValue], below path: String = "") -> [String] {
        keys.flatMap { key -> [String] in
            let name = path + (key["key"]?.string ?? "")
            let subkeys = key["subkeys"]?.array ?? []
            guard key["type"]?.string == "dictionary", !subkeys.isEmpty else { return [name] }
            return leaves(subkeys, below: name + ".")
        }
    }

    /// `AppManagedKeyTests` has every key of the schema, and no other.
    @Test func everyKeyOfAManagedAppIsKnownToBeSupportedOrReported() throws {
        let leaves = Set(Self.leaves(try Self.keys("declarative/declarations/configurations/app.managed.json")))
        #expect(leaves == AppManagedKeyTests.supported.union(AppManagedKeyTests.reported))
    }

    @Test func writesSecretsByTheSchema() throws {
        let folder = "declarative/declarations/assets"
        for kind in CredentialAsset.Kind.allCases {
            let name = try #require(kind.rawValue.split(separator: ".").last)
            let asset = CredentialAsset(
                kind, document: DataAsset(dataURL: "https://s/c", size: 1, sha256: Data(count: 32)),
                accessible: kind.isIdentity ? .default : nil)
            let keys = try Self.keys("\(folder)/credential.\(name).json")
            #expect(Self.complaints(asset.payload, keys) == [])
            #expect(Set(keys.compactMap { $0["key"]?.string }) == kind.keys, "\(name)")
        }
        func check(_ document: Data, _ name: String) throws {
            let value = try JSONValue(parsing: document, limits: .credential)
            #expect(Self.complaints(value, try Self.keys("\(folder)/credentials/\(name).json")) == [])
        }
        try check(
            try UserNameAndPassword(parsing: Golden.data("credential-password.json")).encoded(), "usernameandpassword")
        try check(try IdentityDocument(parsing: Golden.data("credential-identity.json")).encoded(), "identity")
        try check(try SCEPDocument(parsing: Golden.data("credential-scep.json")).encoded(), "scep")
        try check(try ACMEDocument(parsing: Golden.data("credential-acme.json")).encoded(), "acme")
    }

    @Test func writesTheSynchronisationByTheSchema() throws {
        func check(_ data: Data, _ path: String) throws {
            let value = try JSONValue(parsing: data, limits: .message)
            #expect(Self.complaints(value, try Self.keys("declarative/protocol/\(path).json")) == [])
        }
        try check(try TokensResponse(parsing: Golden.data("tokens.json")).encoded(), "tokensresponse")
        let items = try DeclarationItems(parsing: Golden.data("declaration-items.json"))
        try check(items.encoded(), "declarationitemsresponse")
        try check(try StatusReport(parsing: Golden.data("status-report.json")).encoded(), "statusreport")
    }

    @Test func writesStatusItemsByTheSchema() throws {
        let report = try StatusReport(parsing: Golden.data("status-report.json"))
        func check(_ value: JSONValue, _ name: String) throws {
            let keys = try Self.keys("declarative/status/\(name).json")
            #expect(Self.complaints(.object([name: value]), keys) == [])
        }
        try check(try #require(try report.declarations()).value, DeclarationStatuses.name)
        try check(.array(try #require(try report.apps()).map(\.value)), AppStatus.name)
        let capabilities = try ClientCapabilities(try #require(report.value(at: ClientCapabilities.name)))
        try check(capabilities.value, ClientCapabilities.name)
    }
}

/// The folder that `MARTLET_SCHEMA` names, if it is there.
private enum SchemaFolder {
    static let path: String? = {
        guard let path = ProcessInfo.processInfo.environment["MARTLET_SCHEMA"] else { return nil }
        return FileManager.default.fileExists(atPath: path + "/INDEX.json") ? path : nil
    }()
}
