import Configuration
import ManagedAppConfiguration
import Testing

/// The guide's sample of the provider.
@Suite(.timeLimit(.minutes(10)))
struct GuideTests {
    @Test func whatNobodyHasConfiguredIsTheDefault() async {
        let config = ConfigReader(providers: [await ManagedAppConfigProvider(), EnvironmentVariablesProvider()])
        let port = config.int(forKey: "server.port", default: 443)
        #expect(port == 443)
    }
}
