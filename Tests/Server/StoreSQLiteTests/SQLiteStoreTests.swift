import Foundation
import GRDB
import Management
import StoreSQLite
import Testing

struct SQLiteStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    @Test func isReadableOnlyByItsOwner() async throws {
        let store = try SQLiteStore(path: path)
        _ = try await store.addGroup(named: "g", author: "admin", now: Date())
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test func refusesASecondOwner() throws {
        let store = try SQLiteStore(path: path)
        #expect(throws: StoreInUse.self) { try SQLiteStore(path: path) }
        try store.close()
        try SQLiteStore(path: path).close()
    }

    @Test func remembersAfterARestart() async throws {
        let first = try SQLiteStore(path: path)
        _ = try await first.addGroup(named: "g", author: "admin", now: Date(timeIntervalSince1970: 7))
        try first.close()
        let second = try SQLiteStore(path: path)
        #expect(try await second.group(named: "g")?.created == Date(timeIntervalSince1970: 7))
        try second.close()
    }

    @Test func answersAfterCloseWithAnError() async throws {
        let store = try SQLiteStore(path: path)
        try store.close()
        await #expect(throws: (any Error).self) { try await store.addGroup(named: "g", author: "admin", now: Date()) }
    }

    @Test func oneFailingOperationDoesNotTakeItsNeighboursWithIt() async throws {
        let store = try SQLiteStore(path: path)
        let code = EnrollmentCode(
            id: "same", group: "g", ownership: .organization, supervised: false, allowLegacyCryptography: false,
            author: "a", created: Date(), expires: Date(), state: .unused)
        _ = try await store.addGroup(named: "g", author: "admin", now: Date())
        let (added, failed) = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        return try await store.addGroup(named: "g\(number)", author: "admin", now: Date()).value != nil
                    }
                    // The same ID again breaks a constraint: an error inside the shared transaction.
                    do {
                        return try await store.addEnrollmentCode(code, digest: Data("\(number)".utf8)) == nil
                    } catch {
                        return false
                    }
                }
            }
            return try await group.reduce(into: (0, 0)) { count, succeeded in
                if succeeded { count.0 += 1 } else { count.1 += 1 }
            }
        }
        #expect(added == 101)
        #expect(failed == 99)
        #expect(try await store.groups(PageRequest(limit: 500)).items.count == 101)
    }

    @Test func refusesMoreThanItCanWrite() async throws {
        let store = try SQLiteStore(path: path)
        let (holding, held) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        // The writer seals inside its transaction: here it waits there, so nothing that comes can be written for now.
        let draft = SecretDraft(
            name: "blocker", kind: .password, description: SecretDescription(), author: "a", now: Date(),
            seal: { _ in
                held.finish()
                release.wait()
                throw CancellationError()
            })
        let blocked = Task { _ = try? await store.putSecret(draft, expected: .any, keeping: 1) }
        for await _ in holding {}
        let overloaded = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10_200 {
                group.addTask {
                    do {
                        try await store.recordTold(device: "none", epoch: 1, token: "t", now: Date())
                        return false
                    } catch {
                        if error is StoreOverload { release.signal() }
                        return error is StoreOverload
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        await blocked.value
        #expect(overloaded > 0)
        #expect(overloaded <= 201)
        _ = try await store.addGroup(named: "after", author: "admin", now: Date())
        #expect(try await store.group(named: "after") != nil)
    }
}
