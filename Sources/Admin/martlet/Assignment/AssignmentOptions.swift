package import AdminMessages
package import ArgumentParser

/// What an assignment is to say, as options: what none of them mentions stays as it is.
package struct AssignmentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration the app gets.", valueName: "name"))
    package var configuration: String?

    @Flag(help: "The app gets no configuration.")
    package var noConfiguration = false

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "The configuration that an extension of the app gets; may be repeated.", valueName: "bundle=name"))
    package var extensions: [ExtensionConfiguration] = []

    @Option(
        name: .customLong("no-extension"),
        help: ArgumentHelp(
            "An extension of the app that gets no configuration; may be repeated.", valueName: "bundle"))
    package var extensionsWithout: [String] = []

    @Option(
        help: ArgumentHelp(
            "How far a device with Linux must trust the app before it gives it a secret: launched, verified or shared.",
            valueName: "trust"))
    package var lowestTrust: String?

    @Flag(help: "The most trust is asked for: launched.")
    package var noLowestTrust = false

    @Option(
        help: ArgumentHelp(
            "Whether devices must have the app, or their users may: required or optional.", valueName: "how"))
    package var install: String?

    @Flag(help: "The app's source says whether devices must have the app.")
    package var noInstall = false

    @Option(help: ArgumentHelp("From -1000 to 1000: the highest of several assignments counts.", valueName: "number"))
    package var priority: Int?

    @Flag(help: "The priority is 0.")
    package var noPriority = false

    @Option(
        help: ArgumentHelp(
            "As what the app gets its configuration: framework, defaults (its user defaults) or both.",
            valueName: "how"))
    package var delivery: String?

    package init() {}

    package func validate() throws {
        try OneOption.atMost(["--configuration": configuration != nil, "--no-configuration": noConfiguration])
        try OneOption.atMost(["--lowest-trust": lowestTrust != nil, "--no-lowest-trust": noLowestTrust])
        try OneOption.atMost(["--install": install != nil, "--no-install": noInstall])
        try OneOption.atMost(["--priority": priority != nil, "--no-priority": noPriority])
        let named = extensions.map(\.bundle) + extensionsWithout
        guard Set(named).count == named.count else {
            throw ValidationError("an extension gets one configuration, or none")
        }
    }

    /// The change for the server: only the options that were given are in it.
    package var patch: AssignmentPatch {
        func said<Value: Codable & Hashable & Sendable>(_ value: Value?, goes: Bool) -> Patched<Value> {
            goes ? .goes : Patched(said: value)
        }
        var named: [String: Patched<String>] = [:]
        for one in extensions { named[one.bundle] = .becomes(one.configuration) }
        for bundle in extensionsWithout { named[bundle] = .goes }
        return AssignmentPatch(
            configuration: said(configuration, goes: noConfiguration),
            extensions: named.isEmpty ? .stays : .becomes(named), lowestTrust: said(lowestTrust, goes: noLowestTrust),
            install: said(install, goes: noInstall), priority: said(priority, goes: noPriority),
            delivery: Patched(said: delivery))
    }
}

/// An extension and the configuration that it gets, as `com.example.app.tunnel=tunnel`.
package struct ExtensionConfiguration: ExpressibleByArgument, Equatable, Sendable {
    package let bundle: String
    package let configuration: String

    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        bundle = String(parts[0])
        configuration = String(parts[1])
    }
}
