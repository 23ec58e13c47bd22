import AdminMessages
import ArgumentParser
import Foundation
import NIOHTTP1

/// Holds a change to what its author saw: what somebody else did meanwhile is not undone by it.
struct IfSame: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only if it is still what it was when its show command wrote this file with --json; - is standard input.",
            valueName: "file"), completion: .file())
    var ifSame: String?
}

/// The same, and holds the making of something new to nothing being there.
struct IfSameOrNone: ParsableArguments {
    @OptionGroup var same: IfSame

    @Flag(help: "Only if there is none yet.")
    var ifNone = false

    func validate() throws {
        try OneOption.atMost(["--if-same": same.ifSame != nil, "--if-none": ifNone])
    }
}

/// Holds a change of what has versions to the newest that its author saw.
struct IfVersion: ParsableArguments {
    @Option(help: ArgumentHelp("Only if this is still the newest version.", valueName: "version"))
    var ifVersion: Int?
}

extension Server {
    /// Makes a change only if this is the newest version at the path; 0 means that nothing is there yet.
    ///
    /// After a restore, the server's entity tags hold more than the version's number. The server then refuses a tag
    /// made of the number alone. This reads the present tag and sends it, if it has that number.
    func holding<Result>(
        to version: Int?, at path: [String], _ change: ([(String, String)]) async throws -> Result
    ) async throws -> Result {
        guard let version else { return try await change([]) }
        guard version != 0 else { return try await change([("If-None-Match", "*")]) }
        do {
            return try await change([("If-Match", "\"v\(version)\"")])
        } catch let failure as Failure where failure.isChangedMeanwhile {
            guard let tag = try await present(at: path)?.headers.first(name: "ETag"), tag.hasPrefix("\"v\(version)-")
            else { throw failure }
            return try await change([("If-Match", tag)])
        }
    }

    /// Compares a thing with the file of it that the administrator saw; returns the header that ties the change to it.
    func headers<Thing: Codable>(
        _ condition: IfSame, _ path: [String], query: [(String, String)] = [], as type: Thing.Type
    ) async throws -> [(String, String)] {
        guard let file = condition.ifSame else { return [] }
        let seen = try SeenThing<Thing>(ConfigurationDocument.input(at: file))
        return try await headers(path, query: query) { try seen.isSame(as: $0.decoded()) }
    }

    func headers<Thing: Codable>(
        _ condition: IfSameOrNone, _ path: [String], query: [(String, String)] = [], as type: Thing.Type
    ) async throws -> [(String, String)] {
        condition.ifNone
            ? [("If-None-Match", "*")] : try await headers(condition.same, path, query: query, as: type)
    }

    /// The same for what is a document of its own, such as a specification.
    func headers(_ condition: IfSame, ofDocumentAt path: [String]) async throws -> [(String, String)] {
        guard let file = condition.ifSame else { return [] }
        let seen = try ConfigurationDocument.input(at: file)
        return try await headers(path, query: []) { $0.body == seen }
    }

    /// What is at a place; nothing where nothing is.
    func present(at path: [String], query: [(String, String)] = []) async throws -> Answer? {
        do {
            return try await send(.get, path, query: query)
        } catch let failure as Failure where failure.status == .notFound {
            return nil
        }
    }

    /// Holds a change to what was found at its place, or to nothing being there.
    func headers(onTopOf present: Answer?) -> [(String, String)] {
        guard let present else { return [("If-None-Match", "*")] }
        return present.headers.first(name: "ETag").map { [("If-Match", $0)] } ?? []
    }

    private func headers(
        _ path: [String], query: [(String, String)], isSame: (Answer) throws -> Bool
    ) async throws -> [(String, String)] {
        let present: Answer
        do {
            present = try await send(.get, path, query: query)
        } catch let failure as Failure where failure.status == .notFound {
            throw Self.isGone
        }
        guard try isSame(present), let tag = present.headers.first(name: "ETag") else {
            throw Self.isAnother
        }
        return [("If-Match", tag)]
    }
}
