import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// Each reader of what a device or a server sends, under attack: a clear refusal, no crash.
struct HostileMessageTests {
    struct Entrance: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable (Data) throws -> Void

        init(_ name: String, _ read: @escaping @Sendable (Data) throws -> Void) {
            testDescription = name
            self.read = read
        }
    }

    private static let entrances = [
        Entrance("check-in") { _ = try CheckInMessage(parsing: $0) },
        Entrance("command result") { _ = try CommandReport(parsing: $0) },
        Entrance("command") { _ = try Command(parsing: $0) },
        Entrance("enrollment profile") { _ = try EnrollmentProfile(parsing: $0) },
        Entrance("status report") { _ = try StatusReport(parsing: $0) },
        Entrance("declaration items") { _ = try DeclarationItems(parsing: $0) },
        Entrance("tokens") { _ = try TokensResponse(parsing: $0) },
        Entrance("declaration") { _ = try Declaration(parsing: $0) },
        Entrance("credential asset") { _ = try CredentialAsset(Declaration(parsing: $0)) },
        Entrance("password document") { _ = try UserNameAndPassword(parsing: $0) },
        Entrance("identity document") { _ = try IdentityDocument(parsing: $0) },
        Entrance("SCEP document") { _ = try SCEPDocument(parsing: $0) },
        Entrance("ACME document") { _ = try ACMEDocument(parsing: $0) },
        Entrance("attestation key request") { _ = try AttestationKeyRequest(parsing: $0) },
        Entrance("attestation key activation") { _ = try AttestationKeyActivation(parsing: $0) },
    ]

    @Test(arguments: entrances)
    func everyAttackIsRefusedWithoutRepeatingIt(entrance: Entrance) {
        for (name, attack) in Attacks.propertyLists.merging(Attacks.jsonDocuments, uniquingKeysWith: { one, _ in one })
        {
            let refusal = #expect(throws: InputRefusal.self, "\(name)") { try entrance.read(attack) }
            #expect(refusal.map { !$0.rule.isEmpty && !$0.rule.contains("lol") } ?? false)
        }
    }

    /// A key that holds a value of another type: read without it, or refused; never a crash.
    @Test(arguments: entrances)
    func aValueOfEveryWrongTypeIsReadOrRefused(entrance: Entrance) throws {
        let wrong: [PropertyListValue] = [
            .string("x"), .string(""), .integer(-1), .number(.max), .real(.infinity), .boolean(true),
            .date(Date(timeIntervalSince1970: 0)), .data(Data()), .array([]), .array([.array([.string("x")])]),
            .dictionary([:]), .dictionary(["": .dictionary(["": .integer(0)])]),
        ]
        var tried = 0
        for golden in try Golden.all() where (try? entrance.read(golden)) != nil {
            let isJSON = golden.first == UInt8(ascii: "{")
            let value =
                isJSON
                ? try PropertyListValue(json: JSONValue(parsing: golden, limits: .message))
                : try PropertyListValue(parsing: golden, limits: .message)
            for place in 0..<value.count {
                for replacement in wrong {
                    let changed = value.replacing(place, with: replacement)
                    // JSON has no form for an infinite number.
                    guard let data = isJSON ? try? JSONValue(propertyList: changed).encoded() : changed.xml() else {
                        continue
                    }
                    do { try entrance.read(data) } catch is InputRefusal {}
                    tried += 1
                }
            }
        }
        #expect(tried >= 2 * wrong.count)
    }

    /// What is cut off anywhere before its last tag or bracket is refused.
    @Test(arguments: entrances)
    func aTruncatedMessageIsRefused(entrance: Entrance) throws {
        for golden in try Golden.all() where (try? entrance.read(golden)) != nil {
            for part in 0..<32 {
                let cut = golden.prefix((golden.count - 12) * part / 31)
                #expect(throws: InputRefusal.self) { try entrance.read(Data(cut)) }
            }
        }
    }
}

extension PropertyListValue {
    /// How many values there are, this one and all inside of it.
    fileprivate var count: Int {
        switch self {
        case .array(let items): items.reduce(1) { $0 + $1.count }
        case .dictionary(let entries): entries.values.reduce(1) { $0 + $1.count }
        default: 1
        }
    }

    /// The same with another value at one place, counted from the outside in.
    fileprivate func replacing(_ place: Int, with value: PropertyListValue) -> PropertyListValue {
        guard place > 0 else { return value }
        var left = place - 1
        switch self {
        case .array(var items):
            for index in items.indices {
                if left < items[index].count {
                    items[index] = items[index].replacing(left, with: value)
                    return .array(items)
                }
                left -= items[index].count
            }
        case .dictionary(var entries):
            for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
                if left < entry.count {
                    entries[key] = entry.replacing(left, with: value)
                    return .dictionary(entries)
                }
                left -= entry.count
            }
        default: break
        }
        return self
    }
}
