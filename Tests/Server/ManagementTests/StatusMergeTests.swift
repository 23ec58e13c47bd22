import InputBounds
import Management
import Testing

struct StatusMergeTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: .init(text.utf8), limits: .statusReport)
    }

    @Test func namesItemsByTheirPath() throws {
        let items = StatusMerge.items(
            of: try parse(
                """
                {"device":{"operating-system":{"version":"12","family":"Linux"}},
                 "management":{"declarations":{"activations":[]},"client-capabilities":{"supported-versions":["1.0.0"]}},
                 "app":{"managed":{"list":[{"identifier":"a"}]}}}
                """))
        #expect(
            items.keys.sorted() == [
                "app.managed.list", "device.operating-system.family", "device.operating-system.version",
                "management.client-capabilities", "management.declarations",
            ])
    }

    @Test func boundsTheNumberOfItems() throws {
        let many = (0..<1_000).map { #""item\#($0)":1"# }.joined(separator: ",")
        #expect(StatusMerge.items(of: try parse("{\(many)}")).count == StatusLimits.items)
    }

    @Test func boundsTheNumberOfElements() throws {
        let many = (0..<StatusLimits.elements + 10).map { #"{"identifier":"\#($0)"}"# }.joined(separator: ",")
        #expect(
            StatusMerge.merged(nil, with: try parse("[\(many)]"), isFull: false).array?.count == StatusLimits.elements)
    }

    @Test(
        arguments: [
            (#"[{"identifier":"a","v":1}]"#, #"[{"identifier":"a","v":2}]"#, false, #"[{"identifier":"a","v":2}]"#),
            (#"[{"identifier":"a"}]"#, #"[{"identifier":"b"}]"#, false, #"[{"identifier":"a"},{"identifier":"b"}]"#),
            (#"[{"identifier":"a"}]"#, #"[{"identifier":"b"}]"#, true, #"[{"identifier":"b"}]"#),
            (#"[{"identifier":"a"}]"#, #"[{"identifier":"a","_removed":true}]"#, false, "[]"),
            (#"[{"identifier":"a"}]"#, #"[]"#, false, "[]"), (#"[1,2]"#, #"[3]"#, false, "[3]"), ("1", "2", false, "2"),
        ])
    func merges(old: String, new: String, isFull: Bool, expected: String) throws {
        let merged = StatusMerge.merged(try parse(old), with: try parse(new), isFull: isFull)
        #expect(merged == (try parse(expected)))
        #expect(StatusMerge.merged(merged, with: try parse(new), isFull: isFull) == merged)
    }
}
