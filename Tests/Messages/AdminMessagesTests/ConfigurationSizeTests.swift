import AdminMessages
import Testing

struct ConfigurationSizeTests {
    @Test("S4-BP-01: warns above 100 kB and not before")
    func warnsAboveAHundredThousandBytes() {
        #expect(ConfigurationSize.warning(bytes: 100_000) == nil)
        #expect(ConfigurationSize.warning(bytes: 100_001)?.contains("100001") == true)
    }
}
