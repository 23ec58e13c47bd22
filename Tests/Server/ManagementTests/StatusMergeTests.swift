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

    /// One element that cannot be read is lost alone.
    ///
    /// Red for a merge that took a list with such an element for all there is: every app that the report did not mention
    /// was gone.
    @Test(
        arguments: [
            (#"[{"identifier":"a"},"of no form",{"name":"of no app"}]"#, false, #"[{"identifier":"a"}]"#, 2),
            (#"[{"identifier":"a"},7]"#, true, #"[{"identifier":"a"}]"#, 1), (#"["one","two"]"#, false, nil, 2),
            (#"["one"]"#, true, "[]", 1), ("[]", false, "[]", 0),
        ] as [(String, Bool, String?, Int)])
    func anElementThatSaysNotWhatItIsIsLostAlone(list: String, isFull: Bool, kept: String?, lost: Int) throws {
        let expected = try kept.map { try parse($0) }
        let apps = StatusMerge.update(try parse(#"{"app":{"managed":{"list":\#(list)}}}"#), isFull: isFull)
        #expect(apps.items["app.managed.list"] == expected)
        // What is lost of apps is told with its place, by who read the report.
        #expect(apps.leftOut.count == 0)
        let others = StatusMerge.update(try parse(#"{"test":{"list":\#(list)}}"#), isFull: isFull)
        let isPlain = !list.contains("identifier")
        let plain = try parse(list)
        #expect(others.items["test.list"] == (isPlain ? plain : expected))
        #expect(others.leftOut.count == (isPlain ? 0 : lost))
    }
}
