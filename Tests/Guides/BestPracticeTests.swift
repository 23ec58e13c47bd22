import AppSpecification
import Foundation
import InputBounds
import ManagedApp
import ManagedAppSpecification
import Testing

/// What the guide to designing a configuration calls wrong goes wrong, and what it calls right does not.
struct BestPracticeTests {
    private func specification<Value: SpecifiedConfiguration>(_ type: Value.Type) throws -> AppSpecification {
        try PublishedSpecification(type, app: "com.example.guide").specification
    }

    private func rules<Value: SpecifiedConfiguration>(_ type: Value.Type) throws -> Set<String> {
        Set(try specification(type).lint().filter { !$0.path.isEmpty }.map(\.rule))
    }

    private func read<Value: SpecifiedConfiguration>(
        _ type: Value.Type, _ list: [String: PropertyListValue]
    ) throws -> Value {
        try decode(type, list)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ list: [String: PropertyListValue]) throws -> Value {
        try PropertyListDecoder().decode(type, from: PropertyListValue.dictionary(list).xml())
    }

    @Test("S4-BP-13: an option that nobody can understand is told") func whatNobodyAskedForHasNoWords() throws {
        #expect(try rules(WhatTheCodeHas.self) == ["description", "range"])
        #expect(try rules(WhatPeopleWish.self).isEmpty)
    }

    @Test("S4-BP-04: a single switch is told") func aSingleSwitchIsTold() throws {
        #expect(try rules(OneSwitch.self) == ["single-switch"])
        #expect(try rules(OneOptionEach.self).isEmpty)
    }

    @Test("S4-BP-01: what holds megabytes is refused; a bound is told before")
    func aCatalogueInsideIsRefused() throws {
        let products = PropertyListValue.array(Array(repeating: .data(Data(count: 1_000)), count: 1_200))
        let list = PropertyListValue.dictionary(["products": products]).xml()
        #expect(throws: InputRefusal.self) { try PropertyListScan.check(list, limits: .configuration) }
        // Its own specification has nothing against it.
        #expect(try specification(CatalogueInside.self).findings(in: .dictionary(["products": products])).isEmpty)
        let featured = PropertyListValue.array((0..<51).map { .integer($0) })
        let findings = try specification(CatalogueBounded.self).findings(in: .dictionary(["featured": featured]))
        #expect(findings.map(\.message) == ["must hold at most 50; found a list of 51"])
    }

    @Test("S4-BP-02: a URL stays small, whatever lies behind it") func anAddressIsSmall() throws {
        let map = PropertyListValue.data(Data(count: 900_000))
        let inside = PropertyListValue.dictionary(["maps": .dictionary(["site": map])]).xml()
        #expect(throws: InputRefusal.self) { try PropertyListScan.check(inside, limits: .configuration) }
        let elsewhere = ["mapsURL": PropertyListValue.string("https://maps.example.com/site.json")]
        #expect(try read(MapsElsewhere.self, elsewhere).mapsURL?.host() == "maps.example.com")
        #expect(PropertyListValue.dictionary(elsewhere).xml().count < 1_000)
    }

    @Test("S4-BP-05: a key that is new takes nothing from an older app") func whatIsNewIsIgnored() throws {
        let newer: [String: PropertyListValue] = ["greeting": .string("Hello"), "color": .string("blue")]
        #expect(throws: RefusesTheUnknown.UnknownKey.self) { try decode(RefusesTheUnknown.self, newer) }
        #expect(try read(IgnoresTheUnknown.self, newer).greeting == "Hello")
    }

    @Test("S4-BP-06: an older configuration does for a newer app") func whatIsOldIsTaken() throws {
        let older: [String: PropertyListValue] = ["interval": .integer(5)]
        #expect(throws: DecodingError.self) { try read(NeedsWhatIsNew.self, older) }
        #expect(try read(TakesWhatIsOld.self, older).topic == "all")
        let first = try specification(FirstVersion.self)
        #expect(try specification(NeedsWhatIsNew.self).changes(since: first).contains { $0.breaksOldConfigurations })
        // A configuration could have held the key by chance, and anything under it: that is all there is to say.
        #expect(try specification(TakesWhatIsOld.self).changes(since: first).map(\.message) == ["is new"])
    }

    @Test("S4-BP-07: one configuration serves every version") func oneConfigurationServesTheFleet() throws {
        for value in [PropertyListValue.integer(5), .string("hourly")] {
            let list = ["interval": value]
            let both = (try? read(FirstVersion.self, list)) != nil && (try? read(ChangesAMeaning.self, list)) != nil
            #expect(!both)
        }
        let list: [String: PropertyListValue] = ["interval": .integer(60), "pace": .string("hourly")]
        #expect(try read(FirstVersion.self, list).interval == 60)
        #expect(try read(AddsAKey.self, list).pace == .hourly)
        let told = try specification(AddsAKey.self).findings(in: .dictionary(list)).map(\.rule)
        #expect(told == ["deprecated"])
    }
}
