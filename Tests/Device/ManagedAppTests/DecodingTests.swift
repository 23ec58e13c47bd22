import DeviceAgent
import Foundation
import ManagedApp
import Synchronization
import Testing
import Waiting

/// An app's own error, as the framework wants it.
struct OwnError: ManagedAppConfigurationDecodingError {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String

    init(_ number: Int) throws {
        code = try #require(ManagedAppConfigurationDecodingErrorCode(rawValue: number))
        message = "own"
    }
}

/// What is reported when a decoder refuses, and that a decoder which never ends harms nobody.
@Suite(.timeLimit(.minutes(10)))
struct DecodingTests {
    typealias Code = ManagedAppConfigurationDecodingErrorCode

    private func refusal<Value: Decodable>(_ type: Value.Type, _ list: some Encodable) async throws -> DecodingRefusal?
    {
        let data = try propertyList(list)
        switch await TimedDecoding.standard.decode(type, from: data) {
        case .value: return nil
        case .refusal(let refusal): return refusal
        }
    }

    // MARK: codes

    @Test func anAppsOwnCodeIsReportedWithItsMessage() async throws {
        struct Throwing: Decodable {
            init(from decoder: any Decoder) throws { throw try OwnError(100) }
        }
        let refusal = try #require(try await refusal(Throwing.self, ["a": 1]))
        #expect(refusal.code == 100 && refusal.message == "own")
        #expect(refusal.keyPath == nil && !refusal.keyPathSupplied)
    }

    /// Agent and server refuse a text with a NUL: what the app says reaches the administrator all the same.
    @Test func aMessageWithANULIsReportedWithoutIt() async throws {
        struct Throwing: Decodable {
            init(from decoder: any Decoder) throws {
                var error = try OwnError(100)
                error.message = "a\u{0}b"
                throw error
            }
        }
        #expect(try await refusal(Throwing.self, ["a": 1])?.message == "a\u{FFFD}b")
    }

    @Test func theLastCodeBelowTheReservedOnesIsTheAppsOwn() async throws {
        struct Throwing: Decodable {
            init(from decoder: any Decoder) throws { throw try OwnError(Code.firstReserved - 1) }
        }
        #expect(try await refusal(Throwing.self, ["a": 1])?.code == Code.firstReserved - 1)
    }

    @Test func aReservedCodeIsReportedAsGeneric() async throws {
        struct Throwing: Decodable {
            init(from decoder: any Decoder) throws { throw try OwnError(Code.timeout) }
        }
        #expect(try await refusal(Throwing.self, ["a": 1])?.code == Code.generic)
    }

    @Test func anyOtherErrorIsGenericAndItsContentStaysInTheApp() async throws {
        struct Other: Error { let text = "private" }
        struct Throwing: Decodable {
            init(from decoder: any Decoder) throws { throw Other() }
        }
        let refusal = try #require(try await refusal(Throwing.self, ["a": 1]))
        #expect(refusal.code == Code.generic)
        #expect(refusal.message.contains("Other") && !refusal.message.contains("private"))
    }

    struct Outer: Codable {
        var inner: Inner
    }
    struct Inner: Codable {
        var numbers: [Int]
    }

    @Test func aMissingKeyIsNamedWithItsPath() async throws {
        let refusal = try #require(try await refusal(Outer.self, ["inner": ["other": 1]]))
        #expect(refusal.code == Code.keyNotFound && refusal.keyPath == "inner.numbers" && !refusal.keyPathSupplied)
    }

    @Test func aWrongTypeIsNamedWithItsPath() async throws {
        let refusal = try #require(try await refusal(Outer.self, ["inner": ["numbers": ["one"]]]))
        #expect(refusal.code == Code.typeMismatch && refusal.keyPath == "inner.numbers[0]")
        #expect(!refusal.message.contains("one"))
    }

    @Test func aMissingValueIsNamed() async throws {
        struct Throwing: Decodable {
            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                while true { _ = try values.decode(Int.self) }
            }
        }
        #expect(try await refusal(Throwing.self, [1, 2])?.code == Code.valueNotFound)
    }

    @Test func corruptDataIsReportedInTheAppsWords() async throws {
        struct Throwing: Decodable {
            enum Key: CodingKey { case a }
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: Key.self)
                throw DecodingError.dataCorruptedError(forKey: .a, in: values, debugDescription: "not prime")
            }
        }
        let refusal = try #require(try await refusal(Throwing.self, ["a": 4]))
        #expect(refusal.code == Code.dataCorrupted && refusal.message == "not prime" && refusal.keyPath == "a")
    }

    // MARK: the place, D10

    struct Checked: Decodable {
        var numbers: [Int]
        enum Key: CodingKey { case name, numbers, after }
        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            _ = try values.decode(String.self, forKey: .name)
            numbers = try values.decode([Int].self, forKey: .numbers)
            guard numbers.allSatisfy({ $0 < 10 }) else { throw try OwnError(1) }
            _ = try values.decodeIfPresent(Date.self, forKey: .after)
        }
    }

    struct Nesting: Decodable {
        var checked: [Checked]
    }

    struct Entry: Encodable {
        var name = "n"
        var numbers: [Int]
        var after = Date(timeIntervalSince1970: 0)
    }

    @Test func anErrorWithoutAPathGetsTheOneTheDecoderWasAt() async throws {
        let list = ["checked": [Entry(numbers: [1]), Entry(numbers: [1, 10])]]
        let refusal = try #require(try await refusal(Nesting.self, list))
        #expect(refusal.code == 1)
        #expect(refusal.keyPath == "checked[1].numbers" && refusal.keyPathSupplied)
    }

    @Test func thePathIsTheElementsOwnWhereOneIsReadAtATime() async throws {
        struct Stepping: Decodable {
            enum Key: CodingKey { case list }
            init(from decoder: any Decoder) throws {
                var list = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .list)
                while !list.isAtEnd {
                    if try list.decode(Int.self) > 1 { throw try OwnError(2) }
                }
            }
        }
        #expect(try await refusal(Stepping.self, ["list": [0, 1, 2, 3]])?.keyPath == "list[2]")
    }

    @Test func aKeyThatIsMissedInVainIsThePlace() async throws {
        struct Wanting: Decodable {
            enum Key: CodingKey { case wanted }
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: Key.self)
                guard try values.decodeIfPresent(String.self, forKey: .wanted) != nil else { throw try OwnError(3) }
            }
        }
        #expect(try await refusal(Wanting.self, ["other": 1])?.keyPath == "wanted")
    }

    // MARK: time

    /// Spins until the test lets it go.
    struct Spinning: Decodable {
        static let released = Mutex<Set<String>>([])
        init(from decoder: any Decoder) throws {
            let name = try decoder.singleValueContainer().decode([String: String].self)["spin"]
            guard let name else { return }
            while !Self.released.withLock({ $0.contains(name) }) { usleep(1_000) }
        }
    }

    /// A decoder that never ends yields nil in time; what comes after it is decoded.
    @Test func aDecoderThatNeverEndsIsGivenUpAndLaterUpdatesWork() async throws {
        let name = UUID().uuidString
        defer { Spinning.released.withLock { _ = $0.insert(name) } }
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["spin": name]))
        let decoding = TimedDecoding(limit: .seconds(1), abandoned: AbandonedThreads())
        let link = agent.link()
        let loop = Loop<Bool> { receive in
            let provider = ManagedAppConfigurationProvider(link: link, decoding: decoding)
            for await value in await provider.configurations(Spinning.self) { receive(value != nil) }
        }
        #expect(await loop.next() == false)
        let report = try #require(await agent.nextReport())
        #expect(!report.valid && report.code == Code.timeout)
        #expect(await ManagedAppStatus.of(link).configuration == .timedOut)
        // A busy machine may be too slow for one of them, but not for each.
        var isDecoded = false
        for number in 0..<100 where !isDecoded {
            agent.tell(try propertyList(["quick": "\(number)"]))
            isDecoded = await loop.next() == true
            #expect(await agent.nextReport()?.valid == isDecoded)
        }
        #expect(isDecoded)
    }

    @Test func onlySoManyThreadsAreAbandoned() async throws {
        let name = UUID().uuidString
        let abandoned = AbandonedThreads()
        let decoding = TimedDecoding(limit: .milliseconds(1), abandoned: abandoned)
        let spin = try propertyList(["spin": name])
        for _ in 0..<8 { _ = await decoding.decode(Spinning.self, from: spin) }
        #expect(abandoned.count == 8)
        // From now on there is no thread to wait for: an hour's limit is not waited for either.
        let patient = TimedDecoding(limit: .seconds(3_600), abandoned: abandoned)
        guard case .refusal(let refusal) = await patient.decode([String: String].self, from: spin) else {
            Issue.record("a ninth thread was used")
            return
        }
        #expect(refusal.code == Code.timeout)
        Spinning.released.withLock { _ = $0.insert(name) }
        try await eventually("the threads come back") { abandoned.count == 0 }
        guard case .value = await patient.decode([String: String].self, from: spin) else {
            Issue.record("the threads came back and are not used again")
            return
        }
    }
}
