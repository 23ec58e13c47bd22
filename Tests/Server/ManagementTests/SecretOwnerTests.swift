import Foundation
import Management
import Testing

/// Whose value of a secret counts, and where it opens.
struct SecretOwnerTests {
    /// A device's own value counts before its person's, and that before the one for all.
    @Test(
        arguments: [
            ("device", "person", "common", "device"), ("device", nil, "common", "device"),
            (nil, "person", "common", "person"), (nil, "person", nil, "person"), (nil, nil, "common", "common"),
            (nil, nil, nil, nil),
        ] as [(String?, String?, String?, String?)])
    func theNearestValueCounts(device: String?, person: String?, common: String?, effective: String?) {
        #expect(SecretChoice(device: device, person: person, common: common).effective == effective)
    }

    /// A value that an earlier version sealed for a device opens, for this device alone.
    @Test func aValueOfADeviceOpensAsItWasSealedBefore() throws {
        let keys = try MasterKeys(parsing: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        let sealed = SealedSecret(
            masterKeyID: "93bd45fe8c984054",
            wrappedKey: try #require(
                Data(
                    base64Encoded:
                        "AAAAAAAAAAAAAAAALp2X/ZEJpZoggYMeNAG/tuJyZGActFYYuKeJuPnCY2nhMizn7tKECPJs1MdXu0z5")),
            sealed: try #require(Data(base64Encoded: "AQEBAQEBAQEBAQEBFkXBEXnVz/fd/qLcjPuaZygTihFx")))
        let kept = KeptSecret(name: "pin", version: 1, owner: .device("S0"), secret: sealed)
        #expect(try keys.open(kept) == Data("value".utf8))
        for other: SecretOwner? in [.person("S0"), .device("S1"), nil] {
            #expect(throws: SealRefusal.damaged) {
                try keys.open(KeptSecret(name: "pin", version: 1, owner: other, secret: sealed))
            }
        }
    }
}
