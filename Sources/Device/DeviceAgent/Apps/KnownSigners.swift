import AppPackages
import Synchronization

/// The signers of the apps on the device, verified once for each version of an app's list and signature.
///
/// Where every app stands is asked often, and a signature takes some hundred microseconds to verify.
package final class KnownSigners: Sendable {
    /// The list and signature in a directory, and the teams against which they were checked.
    private struct Version: Equatable {
        let list, signature: FileIdentity
        let teams: KnownTeams
    }

    /// More than a device has apps; beyond it all is found out anew.
    private static let most = 1_024

    private let found = Mutex<[String: (version: Version, team: String?)]>([:])
    private let verify: @Sendable (_ directory: String, _ teams: KnownTeams) -> String?

    package init(
        verify: @escaping @Sendable (_ directory: String, _ teams: KnownTeams) -> String? = {
            AppSeals.team(of: $0, among: $1)
        }
    ) {
        self.verify = verify
    }

    /// The team that signed the app in a directory, if it is one of these; its files are not looked at.
    package func team(of directory: String, among teams: KnownTeams) -> String? {
        guard let version = Self.version(of: directory, teams) else { return nil }
        if let known = found.withLock({ $0[directory] }), known.version == version { return known.team }
        let team = verify(directory, teams)
        // Written to meanwhile, it is another version, which is looked at the next time.
        guard Self.version(of: directory, teams) == version else { return team }
        found.withLock { found in
            if found.count >= Self.most { found = [:] }
            found[directory] = (version, team)
        }
        return team
    }

    /// Nothing for what is not signed.
    private static func version(of directory: String, _ teams: KnownTeams) -> Version? {
        guard let list = FileIdentity(at: directory + "/" + PackagePath.list.text),
            let signature = FileIdentity(at: directory + "/" + PackagePath.signature.text)
        else { return nil }
        return Version(list: list, signature: signature, teams: teams)
    }
}
