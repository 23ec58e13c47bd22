extension Assignment {
    /// As what an app gets its configuration; the words are those of the API and of the store.
    package enum Delivery: String, Sendable, CaseIterable {
        /// As what the app reads with `ManagedAppConfigurationProvider`.
        case framework
        /// As the dictionary in the app's user defaults, which is readable while the device is locked.
        case defaults
        /// Both, from one asset.
        case both

        package var isByFramework: Bool { self != .defaults }
        package var isAsDefaults: Bool { self != .framework }
    }
}
