import ManagedAppSpecification

// Samples of the guide to designing a configuration: it quotes them, and tests show what is said of them.

// MARK: The app as it was

@ManagedConfiguration
struct FirstVersion {
    /// How often news is fetched, in minutes.
    @Key(range: 1...60, default: 15) let interval: Int
}

// MARK: Older configurations

@ManagedConfiguration
struct NeedsWhatIsNew {
    /// How often news is fetched, in minutes.
    @Key(range: 1...60, default: 15) let interval: Int

    /// Which news is shown.
    let topic: String
}

@ManagedConfiguration
struct TakesWhatIsOld {
    /// How often news is fetched, in minutes.
    @Key(range: 1...60, default: 15) let interval: Int

    /// Which news is shown.
    @Key(since: "2.0", default: "all") let topic: String
}

// MARK: One configuration for the whole fleet

@ManagedConfiguration
struct ChangesAMeaning {
    /// How often news is fetched: hourly or daily.
    @Key(default: Pace.hourly) let interval: Pace

    enum Pace: String, CaseIterable, ConfigurationValue { case hourly, daily }
}

@ManagedConfiguration
struct AddsAKey {
    /// How often news is fetched, in minutes.
    @Key(range: 1...60, deprecated: .since("2.0", replacedBy: "pace")) let interval: Int?

    /// How often news is fetched.
    @Key(since: "2.0") let pace: Pace?

    enum Pace: String, CaseIterable, ConfigurationValue { case hourly, daily }
}
