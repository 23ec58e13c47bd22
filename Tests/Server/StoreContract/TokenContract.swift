import Foundation
import Management

/// API tokens are found by their digest as long as they live, and go with their administrator.
package func storeContractTokens(_ make: MakeStore) async throws {
    let store = try await make()
    func person(_ name: String, _ rights: Rights) -> Administrator {
        Administrator(name: name, passwordHash: "h", mustChangePassword: false, created: time(0), rights: rights)
    }
    let owner = Rights(role: .appOwner, apps: ["b.c", "a.b"], groups: ["g"])
    _ = try await store.addFirstAdministrator(person("admin", .all))
    _ = try await store.addAdministrator(person("clara", owner), author: "admin", now: time(0))
    func token(_ id: String, _ name: String, of administrator: String = "clara", created: TimeInterval = 0) -> APIToken
    {
        APIToken(
            id: id, administrator: administrator, name: name,
            scope: TokenScope(rights: owner, isReadOnly: true, administers: true), created: time(created),
            expires: time(created + 100))
    }
    try await promise("one is added") { try await store.addToken(token("1", "one"), digest: digest(1)) == nil }
    try await promise("a live one's name is taken") {
        try await store.addToken(token("2", "one"), digest: digest(2)) == .nameTaken
    }
    try await promise("but not by another's") {
        try await store.addToken(token("2", "one", of: "admin"), digest: digest(2)) == nil
    }
    try await promise("nobody has none") {
        try await store.addToken(token("3", "one", of: "nobody"), digest: digest(3)) == .unknownAdministrator
    }
    try await promise("it is found as it is, with its administrator") {
        guard let found = try await store.token(digest: digest(1), now: time(99)) else { return false }
        return found.token == token("1", "one") && found.owner == person("clara", owner)
    }
    try await promise("not after its end") { try await store.token(digest: digest(1), now: time(100)) == nil }
    try await promise("nor by another digest") { try await store.token(digest: digest(9), now: time(1)) == nil }
    try await promise("and by its name, its administrator's alone, while it lives") {
        guard let found = try await store.token(named: "one", of: "clara", now: time(99)) else { return false }
        let other = try await store.token(named: "two", of: "clara", now: time(99))
        let ended = try await store.token(named: "one", of: "clara", now: time(100))
        return found.token == token("1", "one") && found.owner.name == "clara" && other == nil && ended == nil
    }
    try await promise("a use is kept") {
        try await store.recordTokenUses(["1": time(5), "nothing": time(6)])
        return try await store.token(digest: digest(1), now: time(9))?.token.lastUsed == time(5)
    }
    try await promise("the newest come first, page after page") {
        let first = try await store.tokens(of: nil, PageRequest(limit: 1))
        let second = try await store.tokens(of: nil, PageRequest(after: first.next, limit: 1))
        return first.items.map(\.id) == ["2"] && second.items.map(\.id) == ["1"] && second.next == nil
    }
    try await promise("one's own alone") {
        try await store.tokens(of: "admin", PageRequest()).items.map(\.id) == ["2"]
    }
    try await promise("another's is not one's own to end") {
        try await store.revokeToken(id: "2", of: "clara", author: "clara", now: time(9)) == .unknownToken
    }
    try await promise("what was ended is not found, and its name is free") {
        let refusal = try await store.revokeToken(id: "1", of: "clara", author: "clara", now: time(9))
        let found = try await store.token(digest: digest(1), now: time(9))
        guard try await store.token(named: "one", of: "clara", now: time(9)) == nil else { return false }
        let again = try await store.addToken(token("4", "one", created: 9), digest: digest(4))
        return refusal == nil && found == nil && again == nil
    }
    try await promise("it stays in the list") {
        try await store.tokens(of: "clara", PageRequest()).items.map(\.revoked) == [nil, time(9)]
    }
    _ = try await store.resetPassword(of: "clara", to: "i", ends: time(100), author: "admin", now: time(10))
    try await promise("a password that is reset ends them") {
        try await store.token(digest: digest(4), now: time(10)) == nil
    }
    _ = try await store.addToken(token("5", "two", created: 11), digest: digest(5))
    _ = try await store.changePassword(
        of: "clara", from: "i", to: "j", keeping: digest(0), by: .administrator("clara"), now: time(12))
    try await promise("one's own change of it does not") {
        try await store.token(digest: digest(5), now: time(12)) != nil
    }
    _ = try await store.changePassword(
        of: "clara", from: "j", to: "k", keeping: Data(), by: .operator, now: time(13))
    try await promise("the operator's does") { try await store.token(digest: digest(5), now: time(13)) == nil }
    _ = try await store.removeAdministrator(named: "clara", author: "admin", now: time(14))
    try await promise("they go with their administrator") {
        try await store.tokens(of: nil, PageRequest()).items.map(\.id) == ["2"]
    }
    var retention = Retention()
    retention.endedTokenSeconds = 50
    try await store.prune(retention, now: time(149))
    try await promise("one that has ended stays for a while") {
        try await store.tokens(of: nil, PageRequest()).items.map(\.id) == ["2"]
    }
    try await store.prune(retention, now: time(150))
    try await promise("and then goes") { try await store.tokens(of: nil, PageRequest()).items.isEmpty }
}
