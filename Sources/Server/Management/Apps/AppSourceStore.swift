package import Foundation

/// Where devices get apps, as a store keeps it.
package protocol AppSourceStore: Sendable {
    /// Adds or replaces the source of its platform and origin; a package it names must be one of this app.
    func putAppSource(
        _ source: AppSource, of app: String, author: String, now: Date
    ) async throws -> Outcome<Changed<AppSource>, AdminRefusal>
    func removeAppSource(
        _ platform: DevicePlatform, _ origin: AppSource.Origin, of app: String, author: String, now: Date
    ) async throws -> Outcome<Changed<AppSource>, AdminRefusal>
    /// The app with such a source, the first by its bundle identifier where there are several.
    func app(from origin: AppSource.Origin, at location: String) async throws -> String?
    /// By platform, the preferred origin first.
    func appSources(of app: String) async throws -> Outcome<[AppSource], AdminRefusal>
}
