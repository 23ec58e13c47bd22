import ManagedAppSpecification

/// Everything an administrator can configure.
@ManagedConfiguration
struct BrowserConfig {
    /// The page to open: an https URL.
    @Key(title: "Home page", pattern: "^https://.+$", examples: ["https://intranet.example.com/"])
    let homePage: String?

    /// Who signs in, where the site asks (HTTP Basic).
    @Key(title: "User name") let userName: String?

    /// The identifier of a certificate, one of the app's secrets.
    ///
    /// With it the app believes only servers that this authority vouches for; without, those that the system
    /// trusts.
    @Key(title: "Whom to believe", length: 1...) let homePageAuthority: String?
}

extension BrowserConfig {
    /// What administrators need to know; `specification.json` is made of it, and a test fails when the two differ.
    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                BrowserConfig.self, app: "com.example.browser", version: "1.0", title: "Browser",
                description: "Opens the organization's home page and signs in there.", platforms: ["linux": nil],
                secrets: [.password(Site.password, purpose: "To sign in.")],
                samples: [
                    PublishedSample(
                        "A home page that asks who is there",
                        json: #"{"homePage": "https://intranet.example.com/", "userName": "${person.userName}"}"#)
                ], extensions: [try BlockerConfig.specification])
        }
    }
}

/// Everything an administrator can configure of the extension, which is a script: `blocker.py` reads what this publishes.
@ManagedConfiguration
struct BlockerConfig {
    /// The hosts whose pages are not opened, nor those of the hosts below them.
    @Key(title: "Blocked hosts", count: ...1_000, unique: true) let blockedHosts: [String]?

    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                BlockerConfig.self, app: "com.example.browser.blocker", title: "Blocker",
                description: "Says which pages are blocked.",
                samples: [PublishedSample("Two hosts", json: #"{"blockedHosts": ["ads.example.com", "example.net"]}"#)])
        }
    }
}
