import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

struct SyncMachineTests {
    private func declaration(_ identifier: String, _ token: String = "1", type: String = DataAsset.type) -> Declaration
    {
        Declaration(type: type, identifier: identifier, serverToken: token, payload: .object([:]))
    }

    private func tokens(_ token: String) -> SyncTokens {
        SyncTokens(declarationsToken: token, timestamp: Date(timeIntervalSince1970: 0))
    }

    private func items(_ token: String, _ assets: [String: String]) -> DeclarationItems {
        DeclarationItems(
            assets: assets.sorted { $0.key < $1.key }.map { ItemReference(identifier: $0.key, serverToken: $0.value) },
            declarationsToken: token)
    }

    private func set(_ token: String?, _ declarations: [Declaration]) -> SyncMachine.DeclarationSet {
        SyncMachine.DeclarationSet(
            token: token, declarations: Dictionary(uniqueKeysWithValues: declarations.map { ($0.identifier, $0) }))
    }

    private func machine(holding declarations: [Declaration] = [], token: String? = nil) -> SyncMachine {
        SyncMachine(enabled: token != nil, held: set(token, declarations))
    }

    @Test func commandWithKnownTokenFetchesNothing() {
        var machine = machine(token: "A")
        #expect(machine.handle(.command(tokens("A"))) == [.reportStatus])
        #expect(!machine.isBusy)
    }

    /// Held declarations that are marked incomplete are applied again, once, although their token is the same.
    @Test func aSetMarkedIncompleteIsAppliedAgainUnderTheSameToken() {
        let held = set("A", [declaration("a")])
        var machine = machine(holding: [declaration("a")], token: "A")
        machine.markIncomplete()
        #expect(machine.handle(.wake) == [.fetchTokens])
        #expect(machine.handle(.tokens(tokens("A"))) == [.apply(held)])
        #expect(machine.handle(.applied(complete: true)) == [.reportStatus])
        #expect(machine.handle(.command(tokens("A"))) == [.reportStatus])
    }

    @Test func commandWithoutTokensAsksForThem() {
        var machine = machine(token: "A")
        #expect(machine.handle(.command(nil)) == [.fetchTokens])
        #expect(machine.handle(.tokens(tokens("A"))) == [.reportStatus])
    }

    @Test func onlyMissingAndChangedDeclarationsAreFetched() {
        var machine = machine(holding: [declaration("a"), declaration("b"), declaration("c")], token: "A")
        #expect(machine.handle(.command(tokens("B"))) == [.fetchItems])
        let actions = machine.handle(.items(items("B", ["a": "1", "b": "2", "d": "1"])))
        #expect(actions == [.fetchDeclaration(.asset, identifier: "b")])
        #expect(machine.handle(.declaration(declaration("b", "2"))) == [.fetchDeclaration(.asset, identifier: "d")])
        // `c` is absent from the manifest: gone.
        let whole = set("B", [declaration("a"), declaration("b", "2"), declaration("d")])
        #expect(machine.handle(.declaration(declaration("d"))) == [.apply(whole)])
        #expect(machine.held.token == "A", "nothing is held before it is durable")
        #expect(machine.handle(.applied(complete: true)) == [.reportStatus])
        #expect(machine.held == whole)
    }

    @Test func tokenKeptIsThatOfTheManifest() {
        var machine = machine()
        _ = machine.handle(.command(tokens("A")))
        #expect(machine.handle(.items(items("B", [:]))) == [.apply(set("B", []))])
        _ = machine.handle(.applied(complete: true))
        #expect(machine.held.token == "B")
        // The next comparison with the command's token differs, and synchronizes again.
        #expect(machine.handle(.command(tokens("A"))) == [.fetchItems])
    }

    @Test func failedFetchLeavesEverythingAsItWas() {
        for failing in 0..<4 {
            var machine = machine(holding: [declaration("a")], token: "A")
            let steps: [SyncMachine.Event] = [
                .command(nil), .tokens(tokens("B")), .items(items("B", ["a": "2"])),
                .declaration(declaration("a", "2")),
            ]
            for step in steps.prefix(failing + 1) { _ = machine.handle(step) }
            #expect(machine.handle(.failed) == [.scheduleRetry])
            #expect(machine.held == set("A", [declaration("a")]))
            #expect(machine.handle(.timer) == [.fetchTokens])
            #expect(machine.handle(.failed) == [.scheduleRetry])
        }
    }

    @Test func declarationFetchedBeforeAFailureIsNotFetchedAgain() {
        var machine = machine()
        _ = machine.handle(.command(tokens("A")))
        _ = machine.handle(.items(items("A", ["a": "1", "b": "1"])))
        _ = machine.handle(.declaration(declaration("a")))
        _ = machine.handle(.failed)
        _ = machine.handle(.timer)
        _ = machine.handle(.tokens(tokens("A")))
        #expect(
            machine.handle(.items(items("A", ["a": "1", "b": "1"]))) == [.fetchDeclaration(.asset, identifier: "b")])
    }

    @Test func missingDeclarationIsDroppedAndTheSetLookedAtOnceMore() {
        var machine = machine(holding: [declaration("a")], token: "A")
        _ = machine.handle(.command(tokens("B")))
        var actions = machine.handle(.items(items("B", ["a": "2"])))
        var asked = 0
        while actions == [.fetchDeclaration(.asset, identifier: "a")] {
            asked += 1
            actions = machine.handle(.missing)
            if actions == [.fetchItems] { actions = machine.handle(.items(items("B", ["a": "2"]))) }
        }
        #expect(asked == 3, "a set that names what does not exist is not asked for without end")
        #expect(actions == [.apply(set("B", []))])
        #expect(machine.handle(.applied(complete: true)) == [.reportStatus, .fetchTokens])
        #expect(machine.handle(.tokens(tokens("B"))) == [.reportStatus])
    }

    @Test func setThatMovesUnderTheSyncIsReadAnew() {
        var machine = machine()
        _ = machine.handle(.command(tokens("A")))
        _ = machine.handle(.items(items("A", ["a": "1"])))
        #expect(machine.handle(.declaration(declaration("a", "2"))) == [.fetchItems])
        #expect(machine.handle(.items(items("B", ["a": "2"]))) == [.apply(set("B", [declaration("a", "2")]))])
    }

    @Test func otherDeclarationThanAskedForIsAFailure() {
        var machine = machine()
        _ = machine.handle(.command(tokens("A")))
        _ = machine.handle(.items(items("A", ["a": "1"])))
        #expect(machine.handle(.declaration(declaration("b"))) == [.scheduleRetry])
    }

    @Test func commandDuringASyncIsFollowedByAnotherLook() {
        var machine = machine()
        _ = machine.handle(.command(tokens("A")))
        #expect(machine.handle(.command(tokens("B"))) == [])
        _ = machine.handle(.items(items("A", [:])))
        #expect(machine.handle(.applied(complete: true)) == [.reportStatus, .fetchTokens])
        #expect(machine.handle(.tokens(tokens("B"))) == [.fetchItems])
    }

    @Test func assetsThatCouldNotBeHadAreTriedAgainWithTheSameSet() {
        var machine = machine()
        _ = machine.handle(.command(tokens("A")))
        _ = machine.handle(.items(items("A", [:])))
        #expect(machine.handle(.applied(complete: false)) == [.reportStatus, .scheduleRetry])
        #expect(machine.handle(.timer) == [.fetchTokens])
        #expect(machine.handle(.tokens(tokens("A"))) == [.apply(set("A", []))])
        #expect(machine.handle(.applied(complete: true)) == [.reportStatus])
    }

    @Test func nothingHappensBeforeTheServerEnablesIt() {
        var machine = machine()
        #expect(machine.handle(.wake) == [])
        #expect(machine.handle(.timer) == [])
        #expect(!machine.enabled)
    }

    /// A server that answers every question, whatever came before: the machine ends at rest, holding the set.
    @Test(arguments: 0..<200) func endsHoldingTheServersSetAfterAnyOrderOfEvents(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var server: [String: String] = [:]
        var version = 0
        var machine = machine()
        var queue: [SyncMachine.Action] = machine.handle(.command(nil))
        for step in 0..<400 {
            if step < 100, Int.random(in: 0..<4, using: &random) == 0 {
                version += 1
                server["d\(Int.random(in: 0..<5, using: &random))"] = "\(version)"
                if Bool.random(using: &random) { server["d\(Int.random(in: 0..<5, using: &random))"] = nil }
                queue += machine.handle(.command(tokens("v\(version)")))
            }
            guard !queue.isEmpty else { continue }
            let fails = step < 100 && Int.random(in: 0..<6, using: &random) == 0
            switch queue.removeFirst() {
            case .fetchTokens: queue += machine.handle(fails ? .failed : .tokens(tokens("v\(version)")))
            case .fetchItems: queue += machine.handle(fails ? .failed : .items(items("v\(version)", server)))
            case .fetchDeclaration(_, let identifier):
                let answer = server[identifier].map { SyncMachine.Event.declaration(declaration(identifier, $0)) }
                queue += machine.handle(fails ? .failed : answer ?? .missing)
            case .apply: queue += machine.handle(fails ? .failed : .applied(complete: true))
            case .reportStatus: break
            case .scheduleRetry: queue += machine.handle(.timer)
            }
        }
        #expect(queue.isEmpty)
        #expect(!machine.isBusy)
        #expect(machine.held.token == "v\(version)")
        #expect(machine.held.declarations.mapValues(\.serverToken) == server)
    }
}
