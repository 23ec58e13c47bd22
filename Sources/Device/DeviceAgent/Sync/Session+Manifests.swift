import DeviceMessages
import Foundation
import InputBounds
import Logging

/// Has the manifests of apps that active configurations name.
extension Session {
    /// What became of each; one that was had for the same declaration is not fetched again.
    func manifests(of declarations: [String: Declaration], _ previous: Applied) async -> [String: ManifestResult] {
        var results: [String: ManifestResult] = [:]
        for need in AppsSystem.manifestNeeds(declarations) {
            if let known = previous.manifests[need.identifier], known.serverToken == need.serverToken {
                results[need.identifier] = .here(known)
                continue
            }
            do throws(AssetRefusal) {
                let isHome = HomeServer(url: requests.profile.mdm.serverURL, roots: []).has(need.url)
                let manifest = try await AppManifest.fetch(need.url, over: isHome ? requests.connection : anonymous)
                results[need.identifier] = .here(KnownManifest(manifest, serverToken: need.serverToken))
            } catch {
                log.warning("a manifest cannot be had", metadata: ["why": "\(error.code): \(error.sentence)"])
                results[need.identifier] = .refused(error)
            }
        }
        return results
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
