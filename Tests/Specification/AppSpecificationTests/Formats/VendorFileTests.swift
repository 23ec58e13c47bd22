import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import Testing

/// Files of our own with each construct that vendors publish and that once was read amiss.
struct VendorFileTests {
    private func file(_ name: String) throws -> Converted<AppSpecification> {
        try SpecificationFormat.read(Golden.data("vendors/" + name))
    }

    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Data(text.utf8), limits: .configuration)
    }

    /// What is found in a configuration, as `path rule`.
    private func findings(_ name: String, _ configuration: String) throws -> [String] {
        let specification = try file(name).value
        let list = try specification.configuration.propertyList(json(configuration))
        return specification.findings(in: list).map { "\($0.path) \($0.rule)" }
    }

    /// Red where a vendor's own default had the server refuse the whole specification.
    @Test(arguments: [
        "form-controls.plist", "chosen-keys.plist", "defaults.plist", "not-configured.json", "defaults.json",
        "defaults.xml", "foreign-variables.json", "conditions.plist",
    ])
    func whatIsReadIsNotWrongInItself(name: String) throws {
        let read = try file(name)
        let faults = read.value.lint().filter { $0.severity == .error }
        #expect(faults.isEmpty, "\(faults.map(\.description))")
        #expect(!read.notes.isEmpty)
        for format in SpecificationFormat.allCases {
            _ = try? SpecificationFormat.write(read.value, as: format)
        }
        let example = read.value.example()
        #expect(!read.value.findings(in: example).contains { $0.severity == .error }, "\(example)")
    }

    // MARK: Controls of the editor

    /// Red where every configuration of 52 published manifests is refused for a key of its editor.
    @Test(
        arguments: [
            (#"{"colour": "red"}"#, []), (#"{"network": "x", "colour": "blue"}"#, []),
            (#"{"server": {"port": 1}}"#, []),
            (#"{}"#, []), (#"{"colour": "green"}"#, ["colour enum"]), (#"{"server": {}}"#, ["server.port required"]),
            (#"{"PFC_SegmentedControl_0": "General"}"#, ["PFC_SegmentedControl_0 unknownKey"]),
        ] as [(String, [String])])
    func controlsOfAnEditorAreNoKeys(configuration: String, found: [String]) throws {
        #expect(try findings("form-controls.plist", configuration) == found)
    }

    @Test func eachControlThatIsLeftOutIsListed() throws {
        let losses = try file("form-controls.plist").losses.filter { $0.keyword == "properties" }
        #expect(
            losses.map(\.path.description) == [
                "PFC_SegmentedControl_0", "Security_SegmentedControl", "PFC_InterfaceSelector", "preventShares",
                "pfc_mode",
                "server.PFC_SegmentedControl_1",
            ])
        #expect(losses.allSatisfy { $0.explanation.contains("a control of the manifest's editor") })
    }

    // MARK: Keys that people choose

    /// Red where `{{key}}` and `{{value}}` are two keys of these names.
    @Test(
        arguments: [
            (#"{"tenants": {"11111111-2222": true}}"#, []), (#"{"tenants": {}}"#, []),
            (#"{"tenants": {"11111111-2222": "yes"}}"#, [#"tenants.11111111-2222 type"#]),
            (#"{"sites": {"default": "x", "a": {"mode": "allow", "extra": 1}}}"#, []),
            (#"{"sites": {"a": {"mode": "open"}, "b": {}}}"#, ["sites.a.mode enum", "sites.b.mode required"]),
            (
                #"{"sites": {"default": 1, "a": {"mode": "block", "x": 0}}}"#,
                ["sites.a.x minimum", "sites.default type"]
            ),
            (#"{"rules": [{"x": ["a"]}, {"y": "a"}]}"#, ["rules[1].y type"]), (#"{"free": {"a": 1, "b": [true]}}"#, []),
        ] as [(String, [String])])
    func keysThatPeopleChooseAreJudgedByTheirValues(configuration: String, found: [String]) throws {
        #expect(try findings("chosen-keys.plist", configuration).sorted() == found)
    }

    // MARK: Not configured

    /// Red where "null or a value" is any value at all.
    @Test func whatMayBeNullHasTheTypeOfItsOtherForm() throws {
        let read = try file("not-configured.json")
        let keys = read.value.configuration
        let types = keys.keys.map { "\($0.name) \($0.type)" }
        #expect(
            types == [
                "colour string", "either any", "level any", "nested boolean", "nothing real", "openapi string",
                "owner string", "plain boolean", "servers array",
            ])
        #expect(keys["servers"]?.item.first?["port"]?.type == .integer)
        #expect(keys["servers"]?.item.first?["host"]?.description == "Where.")
        #expect(keys["servers"]?.title == "Servers" && keys["colour"]?.title == nil)
        #expect(keys["owner"]?.bounds.minLength == 2)
        #expect(keys["level"]?.choices?.map(\.title) == ["Low", "High"])
        #expect(keys.keys.filter(\.isRequired).map(\.name) == ["plain"])
        #expect(keys["servers"]?.item.first?["host"]?.isRequired == false)
        let noted = Set(read.warnings.map { "\($0.path) \($0.keyword)" })
        #expect(
            noted.isSuperset(of: [
                "servers anyOf", "servers[].host oneOf", "servers[].port anyOf", "colour required", "level enum",
                "openapi nullable", "either anyOf",
            ]))
        #expect(read.losses.map { "\($0.path) \($0.keyword)" } == ["openapi default"])
        let manifest = try SpecificationFormat.write(read.value, as: .profileManifest)
        #expect(String(decoding: manifest.value, as: UTF8.self).ranges(of: "pfm_name").count >= 6)
    }

    @Test(
        arguments: [
            (#"{"plain": true}"#, []),
            (
                #"{"plain": true, "servers": [{"port": "x", "prot": 1}], "colour": "green"}"#,
                ["colour enum", "servers[0].port type", "servers[0].prot unknownKey"]
            ),
            (
                #"{"plain": true, "nothing": 2, "nested": 1, "owner": "x"}"#,
                ["nested type", "nothing maximum", "owner minLength"]
            ),
            (#"{"plain": true, "either": true, "level": 3}"#, ["either anyOf", "level enum"]),
            (#"{"plain": true, "either": 1, "level": 2, "servers": []}"#, []),
        ] as [(String, [String])])
    func aViolationNeverAsksForNull(configuration: String, found: [String]) throws {
        #expect(try findings("not-configured.json", configuration).sorted() == found)
    }

    // MARK: Defaults

    /// Red where a default of another type, or one that breaks the key's rule, went through without a word.
    @Test func aDefaultThatItsKeyForbidsIsPutRightOrLeftOut() throws {
        let read = try file("defaults.json")
        let defaults = read.value.configuration.keys.map { key in
            "\(key.name) " + (key.defaultValue.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-")
        }
        #expect(
            defaults == [
                "days 7.0", "empty -", #"fine "x""#, #"inner {"a":true}"#, "isDirectory false", "isOn true",
                "list [1,2]",
                "none -", #"port "443""#, "ratio 0.5", "role -", #"since "2026-01-01T00:00:00Z""#, "timeout 180",
            ])
        #expect(read.value.configuration["role"]?.examples == [.string("staff")])
        #expect(
            Set(read.losses.map { "\($0.path) \($0.keyword)" })
                == ["empty default", "none default", "role default", "role examples"])
        let mended = ["inner", "isDirectory", "isOn", "list", "port", "since", "timeout"]
        let warned = Set(read.warnings.filter { $0.keyword == "default" }.map(\.path.description))
        #expect(warned.isSuperset(of: mended))
    }

    @Test(arguments: [
        ("defaults.xml", ["count -", #"fine "abc""#, "phone -", "role -"]),
        ("defaults.plist", ["code -", "fine 5", "locale -", "mails -", "retries -", "timeout 180"]),
    ])
    func soDoAllReaders(name: String, defaults: [String]) throws {
        let read = try file(name)
        let found = read.value.configuration.keys.map { key in
            "\(key.name) " + (key.defaultValue.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-")
        }
        #expect(found.sorted() == defaults)
        for gone in defaults where gone.hasSuffix(" -") {
            #expect(read.losses.contains { "\($0.path) -" == gone && $0.keyword == "default" }, "\(gone)")
        }
    }

    // MARK: Variables

    /// Red where a text for another management to fill in is what the app is said to use.
    @Test func variablesOfOtherManagementsAreMappedOrNamed() throws {
        let read = try file("foreign-variables.json")
        let keys = read.value.configuration
        for (name, ours) in [
            ("mail", "person.email"), ("serial", "device.serialNumber"), ("user", "person.email"),
            ("udid", "device.udid"),
            ("upn", "person.principalName"),
        ] {
            #expect(keys[name]?.variable.flatMap(ForeignVariable.ours(for:)) == ours, "\(name)")
            #expect(keys[name]?.defaultValue == nil)
            #expect(read.warnings.contains { $0.path == [.key(name)] && $0.explanation.contains("${\(ours)}") })
        }
        #expect(keys["inside"]?.defaultValue == .string("https://x.example/{{serialnumber}}"))
        #expect(read.warnings.contains { $0.explanation.contains("%IMEI%") && $0.explanation.contains("nothing here") })
        #expect(!read.notes.contains { $0.path == [.key("ours")] })
    }

    @Test(arguments: [
        ("{{ userprincipalname }}", "person.principalName"), ("$FULLNAME", "person.fullName"),
        ("a $SERIAL_NUMBER b", "device.serialNumber"), ("%DeviceName%", "device.name"),
        ("$USERID$", "person.userName"), ("{EmailAddress}", "person.email"),
        ("{{partialupn}}", "person.emailLocalPart"),
    ])
    func aVariableIsFoundInEachSpelling(text: String, ours: String) {
        #expect(ForeignVariable.first(in: text)?.ours == ours)
    }

    @Test(arguments: [
        "", "$", "${person.email}", "{{title}}", "{name}", "100 % of $5", "%d%%", "$HOME", "{{", "{{mail",
    ])
    func anAppsOwnWordsAreNoVariables(text: String) {
        #expect(ForeignVariable.first(in: text) == nil)
    }

    /// A configuration with one is taken, and said to be given to the app as it is.
    @Test func aConfigurationWithOneIsWarnedOf() {
        let list = PropertyListValue.dictionary([
            "a": .array([.string("$EMAIL"), .string("x")]), "b": .string("%IMEI%"), "c": .integer(1),
        ])
        let found = ForeignVariable.findings(in: list)
        #expect(found.map(\.path.description) == ["a[0]", "b"])
        #expect(found.allSatisfy { $0.severity == .warning && $0.rule == "foreignVariable" })
        #expect(found.first?.suggestion == "Write ${person.email}")
        #expect(ForeignVariable.findings(in: list, most: 1).count == 1)
    }

    // MARK: The cause of a refusal

    /// Red where each of these is "of no format that is known here".
    @Test(arguments: [
        (#"{"properties": {"days": {"type": "integer", "default": 7, "default": 7}}}"#, "the same key twice"),
        (#"{"properties": {"days": {"type": "integer",}}}"#, "a comma stands before the end"),
        (#"{"properties": {"days": {"type": "integer"}} // days"#, "JSON has no comments"),
        (
            "<plist><dict><key>pfm_subkeys</key><array/><key>pfm_subkeys</key><array/></dict></plist>",
            "the same key twice"
        ),
        (
            "<managedAppConfiguration>\n<dict></managedAppConfiguration>",
            "line 2, column 7, at managedAppConfiguration.dict"
        ),
    ])
    func aRefusalNamesTheCauseAndThePlace(text: String, cause: String) {
        let refusal = #expect(throws: SpecificationRefusal.self) { try SpecificationFormat.read(Data(text.utf8)) }
        #expect(
            refusal?.rule.contains(cause) == true && refusal?.rule.contains("line ") == true, "\(refusal?.rule ?? "")")
    }

    @Test func aByteOrderMarkIsNoFault() throws {
        let text = "\u{FEFF}" + #"{"title": "Notes (com.example.notes)", "properties": {"days": {"type": "integer"}}}"#
        #expect(try SpecificationFormat.read(Data(text.utf8)).value.configuration["days"]?.type == .integer)
    }
}
