import DeviceAgent
import Foundation
import Testing

struct GenerationStoreTests {
    private struct Note: StoredState, Equatable {
        var text: String
        var contents: [String] = []
        var blobDigests: Set<String> { Set(contents) }
    }

    private typealias Store = GenerationStore<Note>

    private let old = Data("the old configuration".utf8)
    private let new = Data("the new configuration".utf8)

    private func prepared(_ steps: MemorySteps) throws -> Store {
        var store = try Store(directory: "/d", steps: steps)
        try store.commit(Note(text: "zero"))
        try store.commit(Note(text: "old", contents: [old.digest]), contents: [old.digest: old])
        return store
    }

    /// The whole of the old generation or the whole of the new one, whichever step was the last.
    @Test(arguments: MemorySteps.Cut.allCases) func opensWholeAfterACutAtEveryStep(_ cut: MemorySteps.Cut) throws {
        let next = Note(text: "new", contents: [new.digest])
        let counter = MemorySteps()
        var whole = try prepared(counter)
        let before = counter.stepCount
        try whole.commit(next, contents: [new.digest: new])
        let stepsOfACommit = counter.stepCount - before
        #expect(stepsOfACommit >= 8)

        for stop in 0...stepsOfACommit {
            let steps = MemorySteps()
            var store = try prepared(steps)
            steps.stop(after: stop)
            let isAcknowledged = (try? store.commit(next, contents: [new.digest: new])) != nil
            steps.restart(after: cut)
            let reopened = try Store(directory: "/d", steps: steps)
            let state = try #require(reopened.state)
            if isAcknowledged { #expect(state == next, "what was acknowledged is on the disk") }
            switch state.text {
            case "old": #expect(try reopened.content(old.digest) == old)
            case "new": #expect(try reopened.content(new.digest) == new)
            default: Issue.record("neither the old nor the new generation")
            }
            var further = reopened
            try further.commit(Note(text: "further"))
            #expect(try Store(directory: "/d", steps: steps).state?.text == "further")
        }
    }

    @Test(arguments: MemorySteps.Cut.allCases) func firstStartSurvivesACutAtEveryStep(_ cut: MemorySteps.Cut) throws {
        for stop in 0..<12 {
            let steps = MemorySteps()
            steps.stop(after: stop)
            if var store = try? Store(directory: "/d", steps: steps) { try? store.commit(Note(text: "first")) }
            steps.restart(after: cut)
            var store = try Store(directory: "/d", steps: steps)
            #expect(store.state == nil || store.state?.text == "first")
            try store.commit(Note(text: "second"))
            #expect(try Store(directory: "/d", steps: steps).state?.text == "second")
        }
    }

    @Test func everyCommitIsConfirmedByTheDisk() throws {
        let steps = MemorySteps()
        var store = try prepared(steps)
        let before = steps.syncCount
        try store.commit(Note(text: "new", contents: [new.digest]), contents: [new.digest: new])
        // The content and its directory, the generation and its directory, and the removal of an older one.
        #expect(steps.syncCount - before == 5)
    }

    @Test(arguments: [0, 20, 40, -1]) func changedGenerationIsSetAsideForTheOneBefore(_ position: Int) throws {
        let steps = MemorySteps()
        let store = try prepared(steps)
        steps.tamper("/d/generations/\(store.number).generation") { bytes in
            bytes[position < 0 ? bytes.count + position : position] ^= 1
        }
        let reopened = try Store(directory: "/d", steps: steps)
        #expect(reopened.state?.text == "zero")
        #expect(reopened.setAside == 1)
    }

    @Test func exchangedGenerationIsNoticed() throws {
        let steps = MemorySteps()
        let store = try prepared(steps)
        let older = try #require(try steps.read("/d/generations/\(store.number - 1).generation", limit: .max))
        steps.tamper("/d/generations/\(store.number).generation") { $0 = older }
        #expect(try Store(directory: "/d", steps: steps).setAside == 1)
    }

    @Test func generationWithoutItsContentIsNotServed() throws {
        let steps = MemorySteps()
        _ = try prepared(steps)
        let blob = try #require(steps.paths.first { $0.hasPrefix("/d/blobs/") })
        steps.tamper(blob) { $0 = $0.dropLast() }
        #expect(try Store(directory: "/d", steps: steps).state?.text == "zero")
    }

    @Test func nothingWholeIsAnErrorAndNotANewBeginning() throws {
        let steps = MemorySteps()
        _ = try prepared(steps)
        for path in steps.paths where path.hasSuffix(".generation") { steps.tamper(path) { $0.removeAll() } }
        #expect(throws: StoreRefusal.noWholeGeneration) { try Store(directory: "/d", steps: steps) }
    }

    @Test func lostKeyIsAnError() throws {
        let steps = MemorySteps()
        _ = try prepared(steps)
        try steps.remove("/d/device.key")
        #expect(throws: StoreRefusal.keyMissing) { try Store(directory: "/d", steps: steps) }
    }

    /// D14: what leaves the device leaves it in the same generation.
    @Test func forgettingLeavesNothingBehind() throws {
        let steps = MemorySteps()
        var store = try prepared(steps)
        try store.commit(Note(text: "gone"), forgetting: true)
        #expect(steps.paths == ["/d/device.key", "/d/generations/\(store.number).generation"])
    }

    @Test func forgettingIsFinishedAfterACut() throws {
        let steps = MemorySteps()
        var store = try prepared(steps)
        // Four steps bring the generation into place; the removal of the others does not happen.
        steps.stop(after: 4)
        try store.commit(Note(text: "gone"), forgetting: true)
        steps.restart(after: .everythingKept)
        #expect(steps.paths.contains { $0.hasPrefix("/d/blobs/") })
        #expect(try Store(directory: "/d", steps: steps).state?.text == "gone")
        #expect(!steps.paths.contains { $0.hasPrefix("/d/blobs/") })
    }

    @Test func plainTextIsNowhereOnTheDisk() throws {
        let steps = MemorySteps()
        _ = try prepared(steps)
        for path in steps.paths {
            let bytes = try #require(try steps.read(path, limit: .max))
            #expect(bytes.range(of: old) == nil)
            #expect(!path.contains(old.digest), "not even a digest by which a content could be guessed")
        }
    }

    @Test func oldGenerationsArePruned() throws {
        let steps = MemorySteps()
        var store = try prepared(steps)
        for number in 0..<20 { try store.commit(Note(text: "\(number)")) }
        #expect(steps.paths.filter { $0.hasSuffix(".generation") }.count == 2)
        #expect(!steps.paths.contains { $0.hasPrefix("/d/blobs/") })
    }

    /// What is asked for often is read once for each generation; sealed, so that only the store's key opens it.
    @Test func aFrequentContentIsReadOnceForEachGeneration() throws {
        let steps = MemorySteps()
        var store = try prepared(steps)
        let contents = store.contents
        let path = try #require(steps.paths.first { $0.hasPrefix("/d/blobs/") })
        #expect(try contents.frequentContent(old.digest) == old)
        steps.tamper(path) { $0 = Data() }
        #expect(try contents.frequentContent(old.digest) == old)
        #expect(throws: StoreRefusal.blobMissing) { try contents.content(old.digest) }
        try store.commit(Note(text: "another", contents: [old.digest]))
        #expect(throws: StoreRefusal.blobMissing) { try contents.frequentContent(old.digest) }
    }

    /// D14: what the disk forgets is not given from memory.
    @Test func aFrequentContentIsForgottenWithItsGeneration() throws {
        let steps = MemorySteps()
        var store = try prepared(steps)
        let contents = store.contents
        #expect(try contents.frequentContent(old.digest) == old)
        try store.commit(Note(text: "gone"), forgetting: true)
        #expect(throws: StoreRefusal.blobMissing) { try contents.frequentContent(old.digest) }
    }

    @Test func worksOnARealDisk() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-store-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try Store(directory: directory, steps: DiskSteps())
        try store.commit(Note(text: "old", contents: [old.digest]), contents: [old.digest: old])
        let reopened = try Store(directory: directory, steps: DiskSteps())
        #expect(try reopened.content(old.digest) == old)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/device.key")
        #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
    }
}
