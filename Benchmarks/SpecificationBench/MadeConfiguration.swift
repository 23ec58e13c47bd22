import Foundation
import InputBounds

/// Configurations that the made specification has nothing to say of.
enum MadeConfiguration {
    static func ofAbout(_ bytes: Int) -> Data {
        var entries: [String: PropertyListValue] = [:]
        for number in 0..<179 { entries[MadeSpecification.name(number)] = value(number) }
        entries["groups"] = .array((0..<4).map(group))
        entries["servers"] = .array([server(0)])
        let base = PropertyListValue.dictionary(entries).xml().count
        let each = PropertyListValue.dictionary(["servers": .array((0..<8).map(server))]).xml().count / 8
        entries["servers"] = .array((0...max(1, (bytes - base) / each)).map(server))
        return PropertyListValue.dictionary(entries).xml()
    }

    private static func value(_ number: Int) -> PropertyListValue {
        switch number % 8 {
        case 0: .string("https://sync-\(number).example.com:8443/path/to/something")
        case 1: .string("Account of Ana Muster, №\(number)")
        case 2: .boolean(number % 3 == 0)
        case 3: .integer(Int64(number + 1))
        case 4: .date(Date(timeIntervalSince1970: 1_700_000_000 + Double(number)))
        case 5: .data(Data(repeating: UInt8(number), count: 48))
        case 6: .array([.string("staff"), .string("lead")])
        default: .real(Double(number) / 1_000)
        }
    }

    private static func server(_ number: Int) -> PropertyListValue {
        .dictionary([
            "host": .string("server-\(number).campus.example.com"), "port": .integer(Int64(number % 60_000 + 1)),
            "scheme": .string(["https", "wss", "smtps", "imaps"][number % 4]), "isPrimary": .boolean(number == 0),
            "weight": .real(Double(number % 100) / 100), "title": .string("Server \(number) of the western campus"),
            "note": .string("Kept for classes that began before the summer & end with it; ask the office first."),
            "since": .date(Date(timeIntervalSince1970: 1_600_000_000 + Double(number))),
            "pin": .data(Data(repeating: UInt8(number % 256), count: 32)),
            "paths": .array([.string("/notes"), .string("/pictures/small")]), "region": .string("eu-central-1"),
            "retries": .integer(3),
        ])
    }

    private static func group(_ number: Int) -> PropertyListValue {
        let rule = PropertyListValue.dictionary([
            "action": .string("allow"), "match": .string("*.example.com"), "priority": .integer(5),
            "isActive": .boolean(true),
        ])
        return .dictionary(["name": .string("Group \(number)"), "rules": .array(Array(repeating: rule, count: 5))])
    }
}
