import ManagedAppSpecification

/// Everything an administrator can configure.
@ManagedConfiguration
struct GreeterConfig {
    /// What the app says.
    @Key(length: 1...200) private(set) var greeting: String = "Hello"

    /// How often it says so in a line.
    @Key(range: 1...100) private(set) var times: Int = 1

    /// What counts where nobody has configured anything.
    static let standard = GreeterConfig()

    private init() {}
}

extension GreeterConfig {
    /// What administrators need to know; `specification.json` is made of it, and a test fails when the two differ.
    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                GreeterConfig.self, app: "com.example.greeter", version: "1.0", title: "Greeter",
                description: "Greets the person who starts it.", platforms: ["linux": nil],
                samples: [PublishedSample("A warm welcome", json: #"{"greeting": "Welcome", "times": 2}"#)])
        }
    }
}
