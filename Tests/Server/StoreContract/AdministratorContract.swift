import Foundation
import Management

/// Only one first administrator, however many ask at once.
package func storeContractFirstAdministrator(_ make: MakeStore) async throws {
    let store = try await make()
    let added = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
            group.addTask {
                try await store.addFirstAdministrator(
                    Administrator(name: "admin\(number)", passwordHash: "h", mustChangePassword: true, created: time(0))
                )
            }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    try await promise("exactly one was the first") { added == 1 }
}

/// Sessions end with their time, their log-out, a changed password, and beyond their number.
package func storeContractSessions(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addFirstAdministrator(
        Administrator(name: "admin", passwordHash: "old", mustChangePassword: true, created: time(0)))
    let session = Session(administrator: "admin", expires: time(100), mustChangePassword: true)
    for number in 0..<4 {
        try await store.openSession(session, tokenDigest: digest(number), limit: 3, now: time(TimeInterval(number)))
    }
    try await promise("the oldest beyond the limit has ended") {
        try await store.session(tokenDigest: digest(0), now: time(5)) == nil
    }
    try await promise("an open one is found") {
        try await store.session(tokenDigest: digest(1), now: time(99)) == session
    }
    try await promise("an expired one is not") {
        try await store.session(tokenDigest: digest(1), now: time(100)) == nil
    }
    try await store.closeSession(tokenDigest: digest(2))
    try await promise("a closed one has ended") { try await store.session(tokenDigest: digest(2), now: time(5)) == nil }
    try await promise("a password is not changed from one it is not") {
        try await !store.changePassword(of: "admin", from: "other", to: "new", keeping: digest(1))
    }
    try await promise("a password is changed from the one it is") {
        try await store.changePassword(of: "admin", from: "old", to: "new", keeping: digest(1))
    }
    try await promise("the session that changed it goes on, free of the duty") {
        try await store.session(tokenDigest: digest(1), now: time(5))?.mustChangePassword == false
    }
    try await promise("the others have ended") { try await store.session(tokenDigest: digest(3), now: time(5)) == nil }
    try await promise("the new hash is kept") { try await store.administrator(named: "admin")?.passwordHash == "new" }
}
