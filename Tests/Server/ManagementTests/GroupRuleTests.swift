import Foundation
import InputBounds
import Management
import TestInputs
import Testing

/// Rules of groups: how they are written, read and judged (A16).
struct GroupRuleTests {
    @Test(
        arguments: [
            ("os = linux", "os = linux"), ("  model   begins \"ThinkPad X1\"", "model begins \"ThinkPad X1\""),
            ("os = linux and os-version >= 13.0", "os = linux and os-version >= 13"),
            ("os = linux or os = macos and supervised", "os = linux or (os = macos and supervised)"),
            ("(os = linux or os = macos) and not supervised", "(os = linux or os = macos) and not supervised"),
            ("not (supervised and attested)", "not (supervised and attested)"),
            ("app com.example.editor < 2.1", "app com.example.editor < 2.1"),
            ("app com.example.editor", "app com.example.editor"),
            ("person.department = \"and\"", "person.department = \"and\""),
            ("person.department contains \"a \\\"b\\\" \\\\\"", "person.department contains \"a \\\"b\\\" \\\\\""),
            ("shard 5% of \"editor 2\"", "shard 5% of \"editor 2\""), ("((((os = ios))))", "os = ios"),
            (
                "status device.model.family = Linux and key-holder = tpm",
                "status device.model.family = Linux and key-holder = tpm"
            ),
        ] as [(String, String)])
    func aRuleIsReadAndWrittenInOneWay(written: String, canonical: String) throws {
        let rule = try GroupRule(parsing: written)
        #expect(rule.text == canonical)
        #expect(try GroupRule(parsing: rule.text) == rule)
    }

    /// Was red: a quotation mark with a combining mark behind it was written without its backslash, so that a rule
    /// could be set and not be read again.
    @Test func aValueIsReadAgainWhateverStandsBehindAMark() throws {
        for scalar in JoiningScalars.some where scalar.value >= 0x20 {
            let value = JoiningScalars.text("a", "\"", scalar, "\\", scalar, "b")
            let rule = GroupRule.condition(.fact(.model, .equals(value)))
            #expect(try GroupRule(parsing: rule.text) == rule, "\(rule.text)")
        }
    }

    @Test(
        arguments: [
            ("", 1), ("os", nil), ("os =", 5), ("os = windows", 4), ("color = red", 1), ("os = linux and", 15),
            ("(os = linux", 12), ("os = linux)", 11), ("app editor", 1), ("os-version >= new", 15),
            ("shard 5 of a", 7), ("shard 101% of a", 7), ("shard 5% a", 10), ("supervised = yes", 12),
            ("model = \"open", 9), ("model = \"a\\n\"", 11), ("model ~ x", 7), ("model = and", 9),
            ("person.shoeSize = 44", 1), ("status battery = 1", 1), ("model = \"\"", 7), ("os begins li", 4),
        ] as [(String, Int?)])
    func whatIsWrongIsSaidWithItsPlaceAndNotRepeated(written: String, position: Int?) {
        guard let position else {
            #expect(throws: Never.self) { try GroupRule(parsing: written) }
            return
        }
        let refusal = #expect(throws: GroupRuleRefusal.self) { try GroupRule(parsing: written) }
        #expect(refusal?.position == position, "\(written): \(refusal?.sentence ?? "")")
        for word in ["windows", "color", "shoeSize", "battery"] {
            #expect(refusal?.sentence.contains(word) != true)
        }
    }

    @Test func depthAndSizeAreBounded() throws {
        func all(_ count: Int) -> String { Array(repeating: "supervised", count: count).joined(separator: " and ") }
        #expect(throws: Never.self) { try GroupRule(parsing: all(64)) }
        #expect(throws: GroupRuleRefusal.self) { try GroupRule(parsing: all(65)) }
        func nots(_ count: Int) -> String { String(repeating: "not ", count: count) + "supervised" }
        #expect(throws: Never.self) { try GroupRule(parsing: nots(7)) }
        #expect(throws: GroupRuleRefusal.tooDeepHere) { try GroupRule(parsing: nots(8)) }
        #expect(throws: GroupRuleRefusal.self) { try GroupRule(parsing: String(repeating: "(", count: 4_000)) }
        #expect(throws: GroupRuleRefusal.self) { try GroupRule(parsing: String(repeating: " ", count: 8_193)) }
        var deep = JSONValue.object(["fact": .string("supervised"), "test": .string("present")])
        for _ in 0..<8 { deep = .object(["not": deep]) }
        #expect(throws: GroupRuleRefusal.tooDeepHere) { try GroupRule(deep) }
    }

    /// Rules of random parts: text and JSON read back the same rule, and damaged texts are read or refused in bounded
    /// work.
    @Test func everyRuleSurvivesItsTextAndItsJSON() throws {
        var random = Numbers(seed: 20_260_115)
        for _ in 0..<3_000 {
            let rule = random.rule(depth: 1 + Int.random(in: 0..<5, using: &random))
            guard rule.conditions.count <= GroupRuleLimits.conditions else { continue }
            #expect(try GroupRule(parsing: rule.text) == rule, "\(rule.text)")
            #expect(try GroupRule(parsing: rule.text).text == rule.text)
            let json = try JSONValue(
                parsing: rule.json.encoded(), limits: InputLimits(bytes: 1_000_000, objects: 9_999))
            #expect(try GroupRule(json) == rule)
            var bytes = Array(rule.text.utf8)
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 32...126, using: &random)
            }
            guard let damaged = try? GroupRule(parsing: String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(try GroupRule(parsing: damaged.text) == damaged)
        }
    }

    @Test func aRuleIsMetByWhatTheDeviceReports() throws {
        let facts = RuleFacts(
            device: "D1",
            values: [
                .model: "ThinkPad X1", .system: "linux", .systemVersion: "13.2 (a)", .supervised: "yes",
                .app("com.example.editor"): "2.0.1", .variable("person.department"): "Sales",
            ])
        func holds(_ text: String) throws -> Bool { try GroupRule(parsing: text).matches(facts) }
        for text in [
            "os = linux", "os-version >= 13", "os-version > 13.1", "os-version < 14", "os-version <= 13.2",
            "model begins ThinkPad", "model ends X1", "model contains Pad", "supervised", "app com.example.editor",
            "app com.example.editor = 2.0.1", "app com.example.editor < 2.1", "not app com.example.other",
            "os = macos or person.department = Sales", "os = linux and not (os-version < 13)",
        ] { #expect(try holds(text), "\(text)") }
        for text in [
            "os = macos", "os-version > 13.2", "model = thinkpad", "attested", "agent-version >= 0", "not supervised",
            "app com.example.other >= 1", "app com.example.editor = 2", "os = linux and person.department = Forest",
        ] { #expect(try !holds(text), "\(text)") }
        let found = try GroupRule(parsing: "os-version >= 13 and attested").findings(facts)
        #expect(found.map(\.found) == ["13.2 (a)", nil] && found.map(\.holds) == [true, false])
    }

    /// A gradual rollout: a higher number takes in more devices and lets none go, and two salts are not alike.
    @Test func aShardIsAStablePartOfAllDevices() {
        let devices = (0..<20_000).map { RuleFacts(device: "DEVICE-\($0)") }
        func shard(_ percent: Int, _ salt: String = "a") -> Set<String> {
            let condition = GroupCondition.shard(percent: percent, salt: salt)
            return Set(devices.filter(condition.matches).map(\.device))
        }
        let (one, five, half) = (shard(1), shard(5), shard(50))
        #expect(one.isSubset(of: five) && five.isSubset(of: half))
        #expect((140...260).contains(one.count) && (880...1_120).contains(five.count))
        #expect(shard(0).isEmpty && shard(100).count == 20_000)
        #expect((4_700...5_300).contains(shard(50, "b").intersection(half).count))
        // Written down: it must be the same with every version of the server.
        #expect(["DEVICE-0", "DEVICE-1", "DEVICE-2"].map { RuleFacts(device: $0).shard("a") } == [83, 21, 22])
    }
}

extension GroupRuleRefusal {
    fileprivate static let tooDeepHere = GroupRuleRefusal("its parts lie at most 8 deep in each other")
}

/// The same random numbers each time, and rules made of them.
private struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
    }

    private mutating func text() -> String {
        let letters = Array("abcXYZ019._-@/:+% \"\\()=<>äß 🙂,;'$&|").map(String.init)
        return (0...Int.random(in: 0..<12, using: &self)).map { _ in letters.randomElement(using: &self) ?? "a" }
            .joined()
    }

    private mutating func condition() -> GroupCondition {
        let comparable: [RuleFact] = [
            .model, .systemVersion, .agentVersion, .app("com.example.a-1"), .variable("person.email"),
            .variable("device.serialNumber"), .status("device.model.family"),
        ]
        let fact = comparable.randomElement(using: &self) ?? .model
        let order = GroupCondition.Order.allCases.randomElement(using: &self) ?? .above
        let version = SystemVersion([Int.random(in: 0...20, using: &self), Int.random(in: 0...9, using: &self)])
        return switch Int.random(in: 0..<9, using: &self) {
        case 0: .shard(percent: Int.random(in: 0...100, using: &self), salt: text())
        case 1: .fact([.supervised, .attested].randomElement(using: &self) ?? .attested, .present)
        case 2: .fact(.system, .equals("linux"))
        case 3: .fact(fact, .present)
        case 4: .fact(fact, .equals(text()))
        case 5: .fact(fact, .begins(text()))
        case 6: .fact(fact, .ends(text()))
        case 7: .fact(fact, .contains(text()))
        default: .fact(fact, .version(order, version))
        }
    }

    mutating func rule(depth: Int) -> GroupRule {
        guard depth > 1 else { return .condition(condition()) }
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return .not(rule(depth: depth - 1))
        case 1: return .condition(condition())
        case let kind:
            let parts = (0...Int.random(in: 1...2, using: &self)).map { _ in rule(depth: depth - 1) }
            return kind == 2 ? .all(parts) : .any(parts)
        }
    }
}
