import DeviceMessages
import InputBounds
import Testing

struct AppTrustTests {
    @Test func moreTrustIsGreater() {
        #expect(AppTrust.shared < .verified && .verified < .launched)
        #expect(AppTrust.allCases == AppTrust.allCases.sorted())
    }

    /// Nothing said is the highest, so that a server that knows nothing of it asks for the most.
    @Test(arguments: AppTrust.allCases)
    func theLowestTrustOfAnAppIsReadAsItWasWritten(trust: AppTrust) throws {
        let source = AppManagedConfiguration.Source.composedIdentifier("com.example.app")
        let payload = AppManagedConfiguration(source: source, lowestTrust: trust).payload
        #expect(payload["MartletLowestTrust"]?.string == (trust == .launched ? nil : trust.rawValue))
        #expect(try AppManagedConfiguration(payload: payload).lowestTrust == trust)
    }

    @Test func aTrustThatNobodyKnowsIsRefused() {
        let payload: JSONValue = .object(["BundleID": .string("a"), "MartletLowestTrust": .string("most")])
        #expect(throws: InputRefusal.self) { try AppManagedConfiguration(payload: payload) }
    }
}
