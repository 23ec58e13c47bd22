import Testing

@testable import ServerHTTP

/// The text of measurements for Prometheus.
struct MeasureTextTests {
    /// A name from outside cannot end a label or begin a line.
    @Test func namesOfOthersAreEscaped() {
        var measures = MeasureText()
        measures.add(.counter, "some_total", "Some.", named: [([("key", "a\\b\"} 1\nother 2")], 1.5)])
        #expect(
            measures.text == """
                # HELP some_total Some.
                # TYPE some_total counter
                some_total{key="a\\\\b\\"} 1\\nother 2"} 1.5

                """)
    }
}
