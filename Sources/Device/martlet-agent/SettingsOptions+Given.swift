import ServiceManager

extension SettingsOptions {
    /// The options that were given, by which the settings of all sources are judged alike.
    ///
    /// `apps` are the directories of apps, which only `run` takes.
    func given(apps: [String]) -> [ServiceSettings.GivenOption] {
        let texts: [(name: String, member: String, text: String?)] = [
            ("--directory", "directory", directory), ("--tpm", "tpm", tpm),
            ("--serial-number", "serialNumber", serialNumber),
            ("--app-users", "appUsers", appUsers), ("--app-isolation", "appIsolation", appIsolation),
            ("--app-processes", "appProcesses", appProcesses.map { "\($0)" }),
            ("--app-memory", "appMemory", appMemory.map { "\($0)" }),
            ("--app-open-files", "appOpenFiles", appOpenFiles.map { "\($0)" }),
            ("--app-file-size", "appFileSize", appFileSize.map { "\($0)" }),
            ("--desktop-entries", "desktopEntries", desktopEntries),
            ("--login-messages", "loginMessages", loginMessages), ("--power", "power", power),
            ("--poll-interval", "pollInterval", pollInterval.map { "\($0)" }), ("--log-level", "log.level", logLevel),
        ]
        // Each has one text of a list.
        let lists =
            apps.map { ServiceSettings.GivenOption("--apps", "apps", $0) }
            + appGroups.map { ServiceSettings.GivenOption("--app-group", "appGroups", $0) }
        return texts.compactMap { name, member, text -> ServiceSettings.GivenOption? in
            guard let text else { return nil }
            return ServiceSettings.GivenOption(name, member, text)
        } + lists
    }
}
