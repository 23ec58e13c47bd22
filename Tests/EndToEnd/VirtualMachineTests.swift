import Foundation
import Testing

/// What this machine's kernel does otherwise, on Debian 12's own, Linux 6.1: `make vm`.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(30)), .enabled(if: VirtualMachine.isThere, "make vm has it"))
struct VirtualMachineTests {
    /// Its Landlock is the second version: what that does not know is not ruled, files are.
    @Test func debiansKernelIsolatesApps() async throws {
        try await Nosy.with(startsAgent: false) { nosy in
            let machine = try VirtualMachine(
                on: nosy.road,
                running: VirtualMachine.agent(of: nosy.road) + nosy.script("free") + nosy.script("bound"))
            let said = try await machine.said()
            #expect(said.contains { $0.hasPrefix("kernel: 6.1.") }, "\(said)")
            #expect(Nosy.attempts("free", said).done == Nosy.forbidden.union(Nosy.allowed))
            let bound = Nosy.attempts("bound", said)
            #expect(bound.done == Nosy.allowed.union(["temporary", "abstract-socket"]))
            #expect(bound.refused == Nosy.forbidden.subtracting(["abstract-socket"]))
        }
    }
}
