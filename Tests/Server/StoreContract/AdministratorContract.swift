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

/// Sessions end with their time, their log-out, a changed password, and beyond their number; one that was opened while
/// the clock was far ahead is over.
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
    let ahead: TimeInterval = 63_072_000
    let early = Session(administrator: "admin", expires: time(ahead + 100), mustChangePassword: false)
    try await store.openSession(early, tokenDigest: digest(5), limit: 1, now: time(ahead))
    try await promise("one that was opened an hour ahead of the clock is found") {
        try await store.session(tokenDigest: digest(5), now: time(ahead - 3_600)) == early
    }
    try await promise("one that was opened further ahead is over") {
        try await store.session(tokenDigest: digest(5), now: time(ahead - 3_601)) == nil
    }
    let later = Session(administrator: "admin", expires: time(100), mustChangePassword: false)
    try await store.openSession(later, tokenDigest: digest(6), limit: 1, now: time(6))
    try await promise("and takes no place of one that is opened with the right clock") {
        try await store.session(tokenDigest: digest(6), now: time(7)) == later
    }
}

/// Administrators are added, changed and removed; somebody always stays who may do everything; what changes holds for
/// open sessions at once.
package func storeContractAdministrators(_ make: MakeStore) async throws {
    let store = try await make()
    func person(_ name: String, _ rights: Rights) -> Administrator {
        Administrator(name: name, passwordHash: "h", mustChangePassword: true, created: time(0), rights: rights)
    }
    let owner = Rights(role: .appOwner, apps: ["b.c", "a.b"], groups: ["g"])
    _ = try await store.addFirstAdministrator(person("admin", .all))
    try await promise("one is added") {
        try await store.addAdministrator(person("clara", owner), author: "admin", now: time(1)) == nil
    }
    try await promise("a name is taken once") {
        try await store.addAdministrator(person("clara", .all), author: "admin", now: time(1)) == .nameTaken
    }
    try await promise("all are there by name, with what they may do") {
        try await store.administrators() == [person("admin", .all), person("clara", owner)]
    }
    let session = Session(administrator: "clara", expires: time(100), mustChangePassword: true)
    for number in 1...2 {
        try await store.openSession(session, tokenDigest: digest(number), limit: 3, now: time(2))
    }
    try await promise("a session has the rights of its administrator") {
        try await store.session(tokenDigest: digest(1), now: time(3))?.rights == owner
    }
    try await promise("the last one cannot become less") {
        try await store.setRights(of: "admin", to: owner, author: "admin", now: time(3)).refusal == .lastAdministrator
    }
    try await promise("nor go") {
        try await store.removeAdministrator(named: "admin", author: "admin", now: time(3)) == .lastAdministrator
    }
    try await promise("a change is answered") {
        try await store.setRights(of: "clara", to: Rights(role: .reader), author: "admin", now: time(4)).value?.rights
            == Rights(role: .reader)
    }
    try await promise("and holds in open sessions") {
        try await store.session(tokenDigest: digest(1), now: time(5))?.rights.role == .reader
    }
    try await store.closeSessions(of: "clara", keeping: digest(1), now: time(5))
    try await promise("the other sessions end, this one stays") {
        let first = try await store.session(tokenDigest: digest(1), now: time(6))
        let second = try await store.session(tokenDigest: digest(2), now: time(6))
        return first != nil && second == nil
    }
    try await promise("a password that was reset is another, and must be changed") {
        let reset = try await store.resetPassword(
            of: "clara", to: "other", ends: time(100), author: "admin", now: time(7)
        ).value
        return reset?.passwordHash == "other" && reset?.mustChangePassword == true
    }
    try await promise("and ends every session") {
        try await store.session(tokenDigest: digest(1), now: time(8)) == nil
    }
    _ = try await store.setRights(of: "clara", to: .all, author: "admin", now: time(9))
    try await promise("with another one the first can go") {
        try await store.removeAdministrator(named: "admin", author: "clara", now: time(10)) == nil
    }
    try await promise("who is gone is unknown") {
        let gone = try await store.administrator(named: "admin")
        let again = try await store.removeAdministrator(named: "admin", author: "clara", now: time(11))
        let changed = try await store.setRights(of: "admin", to: .all, author: "clara", now: time(11)).refusal
        let reset = try await store.resetPassword(of: "admin", to: "h", ends: time(100), author: "clara", now: time(11))
            .refusal
        return gone == nil && [again, changed, reset].allSatisfy { $0 == .unknownAdministrator }
    }
}
