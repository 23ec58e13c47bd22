import Foundation
import InputBounds
import Management
import Testing

/// Tests of a password `pin` of which devices or people have values of their own, given to every device of a group.
protocol OwnPasswords {
    var fixture: Fixture { get }
    /// The table that is set where a test names none.
    static var table: String { get }
    /// What tells the keys of these devices from those of other tests.
    static var firstSigner: UInt8 { get }
}

extension OwnPasswords {
    static var slot: SecretSlot {
        SecretSlot(group: "all", app: "com.example.app", kind: .password, identifier: "login")
    }

    static func signer(_ number: Int) -> Data { Data(repeating: firstSigner + UInt8(number), count: 32) }

    @discardableResult
    func set(
        _ table: String = Self.table, replaces: Bool = false, expected: ExpectedVersion = .any
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        try await fixture.management.setSecretValues(
            "pin", to: Data(table.utf8), replaces: replaces, expected: expected, author: "admin")
    }

    func give() async throws {
        _ = try #require(await fixture.management.assignSecret("pin", to: Self.slot, author: "admin").value)
    }

    /// What a device gets by following its own declarations; nothing when they do not name the secret.
    func password(_ number: Int) async throws -> String? {
        try await fixture.password(of: "D\(number)", signer: Self.signer(number))
    }

    /// What it gets by asking for a version that its declarations may not name any more.
    func credential(_ number: Int, _ version: Int) async throws -> String? {
        try await fixture.password(of: "D\(number)", signer: Self.signer(number), version: version)
    }
}
