import DeviceMessages
import Foundation
import InputBounds
import Logging

/// Has the manifests of apps that active configurations name.
extension Session {
    /// What became of each; one that was had for the same declaration is not fetched again.
    func manifests(
        of declarations: [String: Declaration], _ facts: PredicateFacts, _ previous: Applied
    ) async -> [String: ManifestResult] {
        var results: [String: ManifestResult] = [:]
        for need in AppsSystem.manifestNeeds(declarations, facts: facts) {
            if let known = previous.manifests[need.identifier], known.serverToken == need.serverToken {
                results[need.identifier] = .here(known)
                continue
            }
            do throws(AssetRefusal) {
                let manifest = try await fetchManifest(need.url)
                results[need.identifier] = .here(KnownManifest(manifest, serverToken: need.serverToken))
            } catch {
                noteManifest(error)
                results[need.identifier] = .refused(error)
            }
        }
        return results
    }

    /// Logs why a manifest cannot be used, by the code that the server is given.
    func noteManifest(_ refusal: AssetRefusal) {
        log.warning("a manifest cannot be had", metadata: ["why": "\(refusal.codeOfManifest): \(refusal.sentence)"])
    }

    /// Fetches a manifest: from the device's own server as the device, from anywhere else as nobody.
    func fetchManifest(_ url: String) async throws(AssetRefusal) -> AppManifest {
        let isHome = HomeServer(url: requests.profile.mdm.serverURL, roots: []).has(url)
        return try await AppManifest.fetch(url, over: isHome ? requests.connection : anonymous)
    }
}

extension AppManifest {
    /// Fetches the manifest at an address.
    static func fetch(_ url: String, over connection: ServerConnection) async throws(AssetRefusal) -> AppManifest {
        let reply: ServerReply
        do {
            reply = try await connection.send("GET", url, answerLimit: limits.bytes, timeLimit: .seconds(60))
        } catch ServerSilence.answerTooLarge {
            throw .verification("a manifest may have at most \(limits.bytes) bytes")
        } catch {
            throw .download(error.explanation)
        }
        guard reply.status == 200 else { throw .download("the server answered \(reply.status)") }
        do {
            return try AppManifest(parsing: reply.body)
        } catch {
            throw .content("the manifest is not of the expected form: \(error.rule)")
        }
    }
}
