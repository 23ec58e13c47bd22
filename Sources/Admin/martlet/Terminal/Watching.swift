import AdminMessages
import ArgumentParser
import Foundation

/// Shows something again whenever it has changed.
struct Watching: ParsableArguments {
    @Flag(help: "Go on, and show what changes: on a terminal anew, otherwise as one JSON object for each change.")
    var watch = false

    /// One change of a list.
    private struct Change<Item: Encodable>: Encodable {
        let change: String
        let item: Item
    }

    /// Shows a list once with `show`, or goes on.
    func list<Item: Codable & Hashable & Sendable>(
        _ load: (Server) async throws -> [Item], id: (Item) -> String, show: ([Item]) throws -> Void
    ) async throws {
        guard watch else { return try show(try await Server.inSession(load)) }
        var before: [String: Item] = [:]
        try await follow(load) { items in
            guard !Terminal.isScreen else { return try show(items) }
            let now = Dictionary(items.map { (id($0), $0) }) { first, _ in first }
            for (name, item) in before.sorted(by: { $0.key < $1.key }) where now[name] == nil {
                try Self.say(Change(change: "removed", item: item))
            }
            for item in items where before[id(item)] != item {
                try Self.say(Change(change: before[id(item)] == nil ? "added" : "changed", item: item))
            }
            before = now
        }
    }

    /// Shows one thing once with `show`, or goes on.
    func one<Value: Codable & Hashable & Sendable>(
        _ load: (Server) async throws -> Value, show: (Value) throws -> Void
    ) async throws {
        guard watch else { return try show(try await Server.inSession(load)) }
        try await follow(load) { value in
            if Terminal.isScreen { try show(value) } else { try Self.say(value) }
        }
    }

    private static func say(_ value: some Encodable) throws {
        Terminal.say(String(decoding: try AdminJSON.encode(value), as: UTF8.self))
    }

    /// Looks once a second at most, and ten times as long apart as a look takes: who watches must not be a burden.
    private func follow<Value: Equatable>(
        _ load: (Server) async throws -> Value, _ changed: (Value) throws -> Void
    ) async throws {
        try await Server.inSession { server in
            var server = server
            server.cache = AnswerCache()
            server.showsProgress = false
            var last: Value?
            var isAway = false
            while true {
                let start = ContinuousClock.now
                do {
                    let value = try await load(server)
                    if value != last || isAway {
                        if Terminal.isScreen { Terminal.note("\u{1B}[H\u{1B}[2J") }
                        try changed(value)
                        try Terminal.requireWritten()
                    }
                    last = value
                    isAway = false
                } catch let failure as Failure where failure.status == .unreachable && last != nil {
                    if !isAway { Terminal.complain("\(failure.text)\nTrying again.") }
                    isAway = true
                }
                try await Task.sleep(for: max(.seconds(1), (ContinuousClock.now - start) * 10))
            }
        }
    }
}
