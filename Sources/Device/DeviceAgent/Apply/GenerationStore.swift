package import Foundation

/// What a store keeps: a value, and the contents it names by their SHA-256.
package protocol StoredState: Codable, Sendable {
    /// The contents that belong to this state and must be whole whenever it is.
    var blobDigests: Set<String> { get }

    /// Whether `newer` takes something back that an older copy would bring again.
    func isSuperseded(by newer: Self) -> Bool

    /// Drops what may have been taken back since: this is an older copy that somebody put in the place of the newer one.
    mutating func forgetWhatMayBeOld()
}

extension StoredState {
    package func isSuperseded(by newer: Self) -> Bool { true }
    package mutating func forgetWhatMayBeOld() {}
}

/// Keeps everything a device knows as one generation: swapped whole, or not at all.
///
/// A commit writes the contents the new generation names, then the generation itself under a temporary name, has the
/// disk confirm each, renames, and has it confirm the directory. After a crash at any of these steps the store has the
/// old generation or the new one, each with all its contents. Every file is sealed and bound to its
/// name, so that a torn, changed or exchanged one is detected; then the generation before it serves. With a guard, an
/// older copy of the directory is detected too, and what it holds is not believed.
package struct GenerationStore<State: StoredState>: Sendable {
    /// Large enough for thousands of declarations; contents lie in files of their own.
    package static var usualLimit: Int { 64 << 20 }

    // What the first states take; later it is half as much again as the newest.
    private static var leastRoom: Int { 64 << 10 }

    private struct Generation: Codable {
        let number: UInt64
        let state: State
        let forgetsOlder: Bool
        /// How far the guard has counted.
        var mark: UInt64?
    }

    private let directory: String
    private let steps: any FileSteps
    private let limit: Int
    private let key: SealingKey
    private var highestNumber: UInt64
    private var count: GuardedCount?

    private let recent = RecentContents()

    /// The contents known to be whole on the disk.
    private var whole: Set<String> = []

    /// The generation before the serving one, to fall back on, and what it names.
    private var previous: (number: UInt64, digests: Set<String>)?

    /// The generation that serves; nothing before the first commit.
    package private(set) var state: State?

    /// Its number.
    package private(set) var number: UInt64 = 0

    /// The number of the generation that served when the store was opened; 0 if there was none.
    package private(set) var found: UInt64 = 0

    /// The number of the newest generation that was there when the store was opened, whole or not.
    package private(set) var newest: UInt64 = 0

    /// How many newer generations were found torn or changed when the store was opened.
    package private(set) var setAside = 0

    /// Whether an older copy was found in the place of the newest.
    package private(set) var isOlderCopy = false

    /// Whether a guard holds the key.
    package var isGuarded: Bool { key.isGuarded }

    private var generations: String { directory + "/generations" }
    private var blobs: String { directory + "/blobs" }

    /// Room on the disk that is taken already, so that a withdrawal can be kept when others have taken all the rest.
    private var room: String { generations + "/" + Self.roomName }
    private static var roomName: String { "room" }

    /// Opens a directory's store; with `readOnly` nothing in it is touched.
    ///
    /// A new store is guarded if there is a guard; one that is guarded does not open without.
    package init(
        directory: String, steps: any FileSteps, guardedBy keeper: (any StoreGuard)? = nil, readOnly: Bool = false,
        limit: Int = usualLimit
    ) throws {
        self.directory = directory
        self.limit = limit
        self.steps = steps
        if !readOnly {
            for path in [directory, directory + "/generations", directory + "/blobs"] { try steps.makeDirectory(path) }
            try steps.sync(directory)
        }
        let numbers = try Self.numbers(in: directory + "/generations", steps: steps)
        highestNumber = numbers.first ?? 0
        newest = highestNumber
        key = try SealingKey.open(
            in: directory, mayCreate: !readOnly && numbers.isEmpty, steps: steps, guardedBy: keeper)
        var forgets = false
        var mark: UInt64?
        for candidate in numbers {
            guard let found = try? load(candidate) else {
                if state == nil { setAside += 1 }
                continue
            }
            guard state == nil else {
                previous = (candidate, found.state.blobDigests)
                whole.formUnion(found.state.blobDigests)
                break
            }
            (number, state, forgets) = (candidate, found.state, found.forgetsOlder)
            mark = found.mark
            whole = found.state.blobDigests
            if forgets { break }
        }
        if state == nil, !numbers.isEmpty { throw StoreRefusal.noWholeGeneration }
        found = number
        if key.isGuarded, let keeper { try checkAge(keeper, mark, readOnly: readOnly) }
        if !readOnly {
            try prune()
            // Half as much again as the newest takes is kept from the next commit on.
            keepRoom(for: 0)
        }
    }

    /// Holds the generation against the guard's count; an older copy is stripped of what it may not bring back.
    private mutating func checkAge(_ keeper: any StoreGuard, _ mark: UInt64?, readOnly: Bool) throws {
        if var old = state {
            count = try GuardedCount(keeper, from: mark, readOnly: readOnly)
            guard count == nil else { return }
            isOlderCopy = true
            old.forgetWhatMayBeOld()
            guard !readOnly else { return state = old }
            count = try GuardedCount(beginningWith: keeper)
            try commit(old, forgetting: true)
        } else if !readOnly {
            count = try GuardedCount(beginningWith: keeper)
        }
    }

    /// Replaces the serving generation; returns once the disk has confirmed it.
    ///
    /// `contents` are the new contents by their SHA-256; those the store has already may be left out. With `forgetting`, no
    /// older generation is left behind: what the new one no longer names is gone.
    package mutating func commit(_ new: State, contents: [String: Data] = [:], forgetting: Bool = false) throws {
        // A number is used once, also when its commit fails half-way: the file may have got its name.
        highestNumber += 1
        let next = highestNumber
        var wroteBlob = false
        for digest in new.blobDigests.sorted() {
            let path = blobPath(digest)
            if whole.contains(digest) { continue }
            guard let content = contents[digest], content.digest == digest else { throw StoreRefusal.blobMissing }
            let sealed = try key.seal(content, purpose: SealedContents.purpose(digest))
            try steps.write(sealed, to: path + ".new")
            try steps.sync(path + ".new")
            try steps.rename(path + ".new", to: path)
            wroteBlob = true
        }
        if wroteBlob { try steps.sync(blobs) }
        var generation = Generation(number: next, state: new, forgetsOlder: forgetting, mark: count?.value)
        var size: Int
        if var counting = count, forgetting || state?.isSuperseded(by: new) != false {
            generation.mark = counting.next
            size = try write(generation)
            let isExpected = try counting.raise()
            count = counting
            // Another store on this machine counts with the same counter.
            generation.mark = counting.value
            if !isExpected { size = try write(generation) }
        } else {
            size = try write(generation)
        }
        previous = forgetting ? nil : state.map { (number, $0.blobDigests) }
        (state, number) = (new, next)
        whole.formUnion(new.blobDigests)
        // What cannot be removed now is removed when the store is next committed or opened.
        try? prune()
        keepRoom(for: size)
    }

    private func write(_ generation: Generation) throws -> Int {
        let path = generationPath(generation.number)
        let sealed = try key.seal(JSONEncoder().encode(generation), purpose: Self.purpose(generation.number))
        // What is larger could be written, and never be opened again.
        guard sealed.count <= limit else { throw StoreRefusal.tooLarge }
        do {
            try steps.replace(path, with: sealed, temporary: path + ".new", in: generations)
        } catch {
            // A withdrawal may take the room that is kept for it.
            guard generation.forgetsOlder else { throw error }
            try steps.rename(room, to: path + ".new")
            try steps.overwrite(path + ".new", with: sealed)
            try steps.sync(path + ".new")
            try steps.rename(path + ".new", to: path)
            try steps.sync(generations)
        }
        return sealed.count
    }

    /// Keeps room for the next withdrawal; where there is none, what is removed next may make some.
    private func keepRoom(for size: Int) {
        try? steps.reserve(min(limit, max(Self.leastRoom, size + size / 2)), at: room)
    }

    /// One of the contents that the serving generation names.
    package func content(_ digest: String) throws -> Data { try contents.content(digest) }

    /// Reads contents while another thread writes the store; contents that a commit drops meanwhile are missing.
    package var contents: SealedContents {
        SealedContents(directory: blobs, steps: steps, key: key, recent: recent)
    }

    // MARK: - Files

    private func load(_ number: UInt64) throws -> Generation {
        guard let sealed = try steps.read(generationPath(number), limit: limit) else {
            throw StoreRefusal.torn
        }
        let plain = try key.open(sealed, purpose: Self.purpose(number))
        let generation = try JSONDecoder().decode(Generation.self, from: plain)
        guard generation.number == number else { throw StoreRefusal.torn }
        for digest in generation.state.blobDigests { _ = try contents.content(digest) }
        return generation
    }

    /// Removes older generations, torn ones, what an interrupted commit left, and contents that nothing names.
    private mutating func prune() throws {
        // Last of all, whatever becomes of the files: nobody is given from memory what the disk is to forget.
        defer { recent.forget() }
        let named = (state?.blobDigests ?? []).union(previous?.digests ?? [])
        whole.formIntersection(named)
        let kept = Set([number, previous?.number].compactMap { $0 }.map { "\($0).generation" } + [Self.roomName])
        var removed = false
        for name in try steps.list(generations) where !kept.contains(name) {
            try steps.remove(generations + "/" + name)
            removed = true
        }
        if removed { try steps.sync(generations) }
        let names = Set(named.map(key.name(of:)))
        for name in try steps.list(blobs) where !names.contains(name) { try steps.remove(blobs + "/" + name) }
    }

    private func generationPath(_ number: UInt64) -> String { generations + "/\(number).generation" }
    private func blobPath(_ digest: String) -> String { contents.path(digest) }

    private static func purpose(_ number: UInt64) -> String { "generation \(number)" }

    private static func numbers(in directory: String, steps: any FileSteps) throws -> [UInt64] {
        try steps.list(directory).compactMap { name in
            name.hasSuffix(".generation") ? UInt64(name.dropLast(".generation".count)) : nil
        }.sorted(by: >)
    }
}
