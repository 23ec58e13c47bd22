import AppMessages
import Crypto
import Foundation
import InputBounds
import Logging

/// The same grants over HTTP, for programs that speak nothing else.
extension AppServiceLoop {
    // A client that wants to wait longer asks again.
    private static let longestWait: UInt64 = 300

    /// Names that there is no configuration.
    private static let noVersion = "none"

    /// Answers the requests that have been gathered, one after the other, as long as the app takes the answers.
    func answerRequests(_ connection: AppConnection, _ token: UInt64) -> Bool {
        while connection.isFree, connection.socket.hasUnread {
            guard hasTurn(connection, token) else { return true }
            do {
                guard let request = try connection.socket.nextRequest() else { return true }
                connection.isLast = request.closes
                noteIfShutOut(connection.process)
                let reply = reply(to: request, connection)
                noteFetch(of: reply, by: request, connection.process)
                if request.wait > 0, isKnown(reply, to: request) {
                    connection.use = .requests(waiting: request)
                    alarms[token] = now + min(UInt64(request.wait), Self.longestWait) * 1_000_000_000
                    watch(&connection.socket, for: [], token)
                    return true
                }
                send(isKnown(reply, to: request) ? .same(version: reply.version) : reply, connection, token)
            } catch {
                refuse(.malformed, "an app sent what is not a request", connection.process)
                connection.isLast = true
                send(HTTPReply(error), connection, token)
            }
            guard endpoints[token] != nil else { return false }
        }
        return true
    }

    /// Answers a request that waits, if what it asks for is another now.
    func tell(_ request: HTTPRequest, _ connection: AppConnection, _ token: UInt64) {
        let reply = reply(to: request, connection)
        guard !isKnown(reply, to: request) else { return }
        noteFetch(of: reply, by: request, connection.process)
        finish(reply, connection, token)
    }

    /// Notes once which version of its configuration an app fetches, or has, as its request says: it will not say more.
    private func noteFetch(of reply: HTTPReply, by request: HTTPRequest, _ process: AppProcess) {
        let identity = process.record.identity
        guard request.path == ["configuration"] || request.path == ["configuration.plist"],
            identity.extensionName == nil, let version = reply.version, version != Self.noVersion,
            process.fetched != version
        else { return }
        process.fetched = version
        context.handedOver(ConfigurationHandOver(bundleIdentifier: identity.app, version: version, way: .http))
    }

    /// Tells one who has waited long enough that nothing has changed.
    func endWait(_ request: HTTPRequest, _ connection: AppConnection, _ token: UInt64) {
        finish(.same(version: reply(to: request, connection).version), connection, token)
    }

    private func finish(_ reply: HTTPReply, _ connection: AppConnection, _ token: UInt64) {
        alarms[token] = nil
        guard connection.isAlive else { return changed(connection, token) }
        connection.use = .requests(waiting: nil)
        send(reply, connection, token)
        guard endpoints[token] != nil else { return }
        _ = answerRequests(connection, token)
    }

    private func send(_ reply: HTTPReply, _ connection: AppConnection, _ token: UInt64) {
        let bytes = reply.encoded()
        reply.wipe()
        write(bytes, connection, token, isSecret: reply.isSecret)
    }

    private func isKnown(_ reply: HTTPReply, to request: HTTPRequest) -> Bool {
        guard let version = reply.version, let known = request.known else { return false }
        return known.split(separator: ",").contains { $0.filter { $0 != " " } == "\"\(version)\"" }
    }

    private func reply(to request: HTTPRequest, _ connection: AppConnection) -> HTTPReply {
        // Before the agent has read its store, it cannot state that something is missing.
        guard let states else { return .unavailable }
        let state = states[connection.process.record.identity]
        switch (request.path.first, request.path.count) {
        case ("configuration", 1):
            guard let json = document(of: state, connection) else { return .absent(version: Self.noVersion) }
            return HTTPReply(json, type: "application/json", version: state.version)
        case ("configuration.plist", 1):
            guard let list = state.configuration else { return .absent(version: Self.noVersion) }
            return HTTPReply(list, type: "application/x-plist", version: state.version)
        case ("secrets", 1):
            return names(of: state.withholds(from: connection.trust) ? AppSecrets() : state.secrets)
        case ("secrets", 3):
            guard let kind = SecretKind(rawValue: request.path[1]) else { return .absent() }
            return secret(kind, request.path[2], connection)
        default:
            return .absent()
        }
    }

    // Written once for each version.
    private func document(of state: AppState, _ connection: AppConnection) -> Data? {
        guard let configuration = state.configuration else { return nil }
        if let known = connection.process.document, known.version == state.version { return known.json }
        guard let json = try? AppFolder.json(configuration) else { return nil }
        connection.process.document = (state.version, json)
        return json
    }

    private func names(of secrets: AppSecrets) -> HTTPReply {
        let kinds = SecretKind.allCases.map { kind in
            (kind.rawValue, JSONValue.array(secrets.of(kind).map { .string($0.identifier) }))
        }
        // Another whenever a value is another; and no digest of a value that could be guessed at.
        var digest = SHA256()
        digest.update(data: salt)
        for entry in secrets.entries {
            for part in [entry.kind.rawValue, entry.identifier, entry.digest] {
                digest.update(data: Data("\(part.utf8.count) \(part)".utf8))
            }
        }
        // Keys: ours.
        return HTTPReply(
            JSONValue.object(Dictionary(uniqueKeysWithValues: kinds)).encoded(), type: "application/json",
            version: Data(digest.finalize()).hexadecimal)
    }

    private func secret(_ kind: SecretKind, _ identifier: String, _ connection: AppConnection) -> HTTPReply {
        do {
            let type = kind == .password ? "text/plain; charset=utf-8" : "application/pem-certificate-chain"
            return HTTPReply(try content(kind, identifier, for: connection), type: type, isSecret: kind == .password)
        } catch let error as VarlinkError where error == .invalidIdentifier {
            return .absent()
        } catch StoreRefusal.blobMissing {
            // Withdrawn a moment ago; the news is on its way to this thread.
            return .absent()
        } catch let error as VarlinkError where error == .secretsWithheld {
            return .withheld
        } catch {
            return .unavailable
        }
    }
}
