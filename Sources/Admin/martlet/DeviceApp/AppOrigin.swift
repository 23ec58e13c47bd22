package import AdminMessages

/// Where a device gets an app that is installed by command.
package enum AppOrigin: Sendable, Equatable {
    /// The address of a manifest.
    case manifest(String)
    /// The app's number in the App Store.
    case store(Int64)
    /// It is on the device.
    case present

    /// What a source that is no hosted package says.
    package init(_ source: AppSource) throws(Failure) {
        switch (source.origin, source.location) {
        case ("manifest", let url?): self = .manifest(url)
        case ("app-store", let number?):
            guard let identifier = Int64(number) else {
                throw Failure(.refused, "the app's source has no number of the App Store")
            }
            self = .store(identifier)
        default: self = .present
        }
    }

    package var manifestURL: String? { if case .manifest(let url) = self { url } else { nil } }

    package var storeIdentifier: Int64? { if case .store(let number) = self { number } else { nil } }

    /// The order in which sources count, as for what is assigned.
    private static let order = ["package", "manifest", "app-store", "installed"]

    /// Of an app's sources the one that counts for a device; nothing where the app is to be there already.
    ///
    /// `family` is the system's as the device reported it, if it has.
    package static func source(
        among sources: [AppSource], family: String?, takesOver: Bool
    ) throws(Failure) -> AppSource? {
        let platforms = Set(sources.map(\.platform))
        guard let platform = family.map(word(ofFamily:)) ?? (platforms.count == 1 ? platforms.first : nil) else {
            guard sources.isEmpty else {
                throw Failure(
                    .refused, "the device has not said of which system it is, and the app has sources for several",
                    advice: "Try again when it has synchronized, or name the place with --manifest.")
            }
            return try present(takesOver, on: "this system")
        }
        let possible = sources.filter { $0.platform == platform }
        let first = order.compactMap { origin in possible.first(where: { $0.origin == origin }) }.first
        guard let first, first.origin != "installed" else { return try present(takesOver, on: platform) }
        return first
    }

    private static func present(_ takesOver: Bool, on platform: String) throws(Failure) -> AppSource? {
        guard takesOver else {
            throw Failure(
                .refused, "nothing says where devices with \(AppSourceText.platform(platform)) get the app",
                advice: """
                    Name a source with martlet app source set, or the manifest with --manifest; --take-over takes the \
                    app that is there.
                    """)
        }
        return nil
    }

    /// The platform of sources that is meant by a system's family.
    private static func word(ofFamily family: String) -> String {
        let lowercase = family.lowercased()
        return lowercase == "ipados" ? "ios" : lowercase
    }
}
