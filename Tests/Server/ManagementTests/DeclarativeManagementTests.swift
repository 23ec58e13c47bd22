import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

struct DeclarativeManagementTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
    }

    private var assetEndpoint: DeclarativeEndpoint { .declaration(.asset, identifier: "martlet.data.com.example.app") }

    private func declaredHash() async throws -> String? {
        try await fixture.document(assetEndpoint)?["Payload"]?["Reference"]?["Hash-SHA-256"]?.string
    }

    @Test func tellsADeviceOnceOfEachToken() async throws {
        let first = try #require(await fixture.command(.idle))
        #expect(first.requestType == "DeclarativeManagement")
        let told = try JSONValue(parsing: try #require(first.request["Data"]?.data), limits: .statusReport)
        #expect(told == (try await fixture.document(.tokens)))
        // A lost command comes again as the same command.
        #expect(try await fixture.command(.idle)?.uuid == first.uuid)
        #expect(try await fixture.report(.acknowledged, first.uuid) == .nothing)
        #expect(try await fixture.report(.idle) == .nothing)

        try await fixture.configure(value: "2")
        let second = try #require(await fixture.command(.idle))
        #expect(second.uuid != first.uuid)
        #expect(try await fixture.report(.acknowledged, first.uuid) != .nothing, "an old answer does not count")
        #expect(try await fixture.report(.acknowledged, second.uuid) == .nothing)
        // Back to the first bytes: the same token, but a command that is not the first one again.
        try await fixture.configure(value: "1")
        let third = try #require(await fixture.command(.idle))
        #expect(third.uuid != first.uuid)
        #expect(third.request["Data"] != second.request["Data"])
    }

    @Test func respectsNotNowAndGivesUpOnAnError() async throws {
        let command = try #require(await fixture.command(.idle))
        #expect(try await fixture.report(.notNow, command.uuid) == .nothing)
        #expect(try await fixture.command(.idle)?.uuid == command.uuid)
        #expect(try await fixture.report(.error, command.uuid) == .nothing)
        #expect(try await fixture.report(.idle) == .nothing)
    }

    @Test func aDeviceThatFetchedItemsByItselfKnowsOfThem() async throws {
        _ = try await fixture.document(.declarationItems)
        #expect(try await fixture.report(.idle) == .nothing)
    }

    @Test func aNewLifeOfTheEnrollmentIsToldAgain() async throws {
        let first = try #require(await fixture.command(.idle))
        _ = try await fixture.report(.acknowledged, first.uuid)
        try await fixture.issue(Data(repeating: 8, count: 32), group: "all", replaces: "D1")
        let again = Authenticate(
            identifier: Fixture.identifier("D1"), topic: "t", deviceName: "n", modelName: "m", model: "m")
        #expect(
            try await fixture.management.checkIn(.authenticate(again), signer: Data(repeating: 8, count: 32)) == .done)
        let second = try #require(await fixture.command(.idle, signer: Data(repeating: 8, count: 32)))
        #expect(second.requestType == "DeclarativeManagement")
        #expect(second.uuid != first.uuid)
    }

    @Test func theSameAfterARestart() async throws {
        let endpoints: [DeclarativeEndpoint] = [.tokens, .declarationItems, assetEndpoint]
        var before: [CheckInAnswer] = []
        for endpoint in endpoints { before.append(try await fixture.ask(endpoint)) }
        let command = try await fixture.report(.idle)
        try fixture.restart()
        fixture.advance(5_000)
        var after: [CheckInAnswer] = []
        for endpoint in endpoints { after.append(try await fixture.ask(endpoint)) }
        #expect(after == before)
        #expect(try await fixture.report(.idle) == command)
    }

    @Test func servesEveryItemThatWasToldWhileTheManifestMoves() async throws {
        _ = try await fixture.document(.declarationItems)
        let told = try await declaredHash()
        let file = try #require(told)
        try await fixture.configure(value: "2")
        _ = try await fixture.management.unassign(app: "com.example.app", from: "all", author: "admin")
        #expect(try await declaredHash() == told)
        try fixture.restart()
        #expect(try await declaredHash() == told)
        let asset = try await fixture.management.asset(sha256: file, for: fixture.context())
        #expect(asset?.bytes == Fixture.configuration("1"))
        #expect(asset?.mediaType == "application/xml")
        // With the new items what went is gone.
        _ = try await fixture.document(.declarationItems)
        #expect(try await fixture.ask(assetEndpoint) == .notFound)
        #expect(try await fixture.management.asset(sha256: file, for: fixture.context()) == nil)
    }

    @Test func snapshotsOutliveMaintenanceOnlyForTheirTime() async throws {
        _ = try await fixture.document(.declarationItems)
        let told = try await declaredHash()
        fixture.advance(30 * 24 * 3_600)
        try await fixture.management.maintain()
        try await fixture.configure(value: "2")
        fixture.advance(3_601)
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await declaredHash() == told, "however long it was current before")
        fixture.advance(8 * 24 * 3_600)
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await declaredHash() != told)
    }

    /// A set that comes back after its snapshot had its time is kept anew for those who are told of it again.
    @Test func aSetThatComesBackIsKeptAgain() async throws {
        _ = try await fixture.document(.declarationItems)
        let told = try await declaredHash()
        try await fixture.management.maintain()
        try await fixture.configure(value: "2")
        fixture.advance(3_601)
        try await fixture.management.maintain()
        fixture.advance(8 * 24 * 3_600)
        try await fixture.management.maintain()
        try await fixture.configure(value: "1")
        _ = try await fixture.document(.declarationItems)
        try await fixture.configure(value: "3")
        try fixture.restart()
        #expect(try await declaredHash() == told)
    }

    /// A configuration that is deleted and made again counts on, and its bytes alone decide its tokens: neither an
    /// administrator's condition nor a device's token can take the one for the other.
    @Test func aConfigurationMadeAgainIsNotTakenForTheOldOne() async throws {
        let management = try fixture.management
        let old = try #require(await fixture.document(.declarationItems))
        for (version, value) in [(2, "other"), (3, "1")] {
            _ = try await management.unassign(app: "com.example.app", from: "all", author: "admin")
            #expect(
                try await management.removeConfiguration(
                    app: "com.example.app", name: "main", expected: .any, author: "admin") == nil)
            #expect(try await management.removeApp("com.example.app", author: "admin") == nil)
            _ = try await management.putApp(
                App(bundleIdentifier: "com.example.app", name: "n", teamIdentifier: "TEAM"), author: "admin")
            #expect(try await fixture.configure(value: value).version.version == version)
            _ = try #require(
                await management.assign(app: "com.example.app", configuration: "main", to: "all", author: "admin").value
            )
            let new = try #require(await fixture.document(.declarationItems))
            #expect((new == old) == (value == "1"))
            #expect(
                try await management.putConfiguration(
                    app: "com.example.app", name: "main", bytes: Fixture.configuration("mine"), expected: .version(1),
                    author: "admin"
                ).refusal == .versionMoved(current: version))
        }
    }

    @Test func givesFilesOnlyToDevicesWhoseManifestRefersToThem() async throws {
        let other = Data(repeating: 9, count: 32)
        try await fixture.enrol("D2", group: "others", signer: other)
        let file = Fixture.sha256(Fixture.configuration("1"))
        #expect(try await fixture.management.asset(sha256: file, for: fixture.context()) != nil)
        #expect(try await fixture.management.asset(sha256: file, for: fixture.context("D2", signer: other)) == nil)
        #expect(try await fixture.management.asset(sha256: "../\(file)", for: fixture.context()) == nil)
    }

    @Test func answersAnUnknownDeclarationWithNotFound() async throws {
        #expect(try await fixture.ask(.declaration(.configuration, identifier: "none")) == .notFound)
    }

    @Test func aDeviceWithNothingToDoCostsTheStoreNothing() async throws {
        let command = try #require(await fixture.command(.idle))
        _ = try await fixture.document(.declarationItems)
        _ = try await fixture.report(.acknowledged, command.uuid)
        _ = try await fixture.report(.idle)
        let file = Fixture.sha256(Fixture.configuration("1"))
        _ = try await fixture.management.asset(sha256: file, for: fixture.context())
        try fixture.closeStore()
        #expect(try await fixture.report(.idle) == .nothing)
        #expect(try await fixture.document(.tokens) != nil)
        #expect(try await fixture.document(.declarationItems) != nil)
        #expect(try await fixture.document(assetEndpoint) != nil)
        #expect(try await fixture.management.asset(sha256: file, for: fixture.context()) != nil)
        await #expect(throws: (any Error).self) { try await fixture.configure(value: "2") }
    }

    @Test func movingBetweenGroupsChangesTokensNotIdentifiers() async throws {
        let management = try fixture.management
        _ = try await management.createGroup(named: "more", author: "admin")
        _ = try await management.assign(app: "com.example.app", configuration: nil, to: "more", author: "admin")
        let before = try #require(await fixture.document(.declarationItems))
        #expect(try await management.addDevice("D1", toGroup: "more", author: "admin").value == [])
        let after = try #require(await fixture.document(.declarationItems))
        #expect(after != before)
        let identifiers = { (items: JSONValue) in
            items["Declarations"]?["Configurations"]?.array?.map { $0["Identifier"]?.string }
        }
        #expect(identifiers(before) == identifiers(after))
    }

    @Test func manyDevicesThatAskAtOnceShareOneAnswer() async throws {
        let signers = (20..<60).map { Data(repeating: UInt8($0), count: 32) }
        for (number, signer) in signers.enumerated() { try await fixture.enrol("M\(number)", signer: signer) }
        try await fixture.configure(value: "2")
        let fixture = fixture
        let answers = try await withThrowingTaskGroup(of: Data.self) { group in
            for (number, signer) in signers.enumerated() {
                group.addTask {
                    guard
                        case .document(let data) = try await fixture.ask(
                            .declarationItems, device: "M\(number)", signer: signer)
                    else { return Data() }
                    return data
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(answers.count == 1)
        #expect(answers.first?.isEmpty == false)
    }
}
