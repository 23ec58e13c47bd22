import Management
import Testing

/// A restore clears what an earlier one left, and nothing else.
struct RestoreRemainsTests {
    private func foreign(_ beside: [String], _ inFolder: [String]?) -> String? {
        RestoreRemains(
            beside: Set(beside), inFolder: inFolder.map(Set.init), ours: ["martlet.sqlite", "ca.key", "packages"]
        ).foreign
    }

    @Test func whatAnEarlierRestoreLeftIsItsOwn() {
        #expect(foreign([], nil) == nil)
        #expect(foreign([], []) == nil)
        #expect(foreign([], ["martlet.sqlite", "packages"]) == nil, "cut off while it copied")
        #expect(foreign(["ca.key", "packages"], ["martlet.sqlite"]) == nil, "cut off while it moved")
        #expect(foreign(["ca.key", "martlet.sqlite", "packages"], []) == nil, "cut off at its end")
    }

    /// Red where a first start that met a full disk left a directory that no restore took.
    @Test func whatAFirstStartLeftGivesWay() {
        let names: Set<String> = ["first-start", "ca.key", "martlet.sqlite"]
        func foreign(_ beside: Set<String>, _ ofFirstStart: Set<String>) -> String? {
            RestoreRemains(beside: beside, inFolder: nil, ours: ["ca.key"], ofFirstStart: ofFirstStart).foreign
        }
        #expect(foreign(["first-start", "ca.key"], names) == nil)
        #expect(foreign(["first-start", "notes.txt"], names) == "notes.txt")
        #expect(foreign(["ca.key"], []) == "ca.key", "nothing says that a first start left it")
    }

    /// Red: with a folder of that name beside it, a person's key was removed, and with it what was in the folder.
    @Test func whatNoRestoreLeftIsNamed() {
        #expect(foreign(["ca.key"], nil) == "ca.key")
        #expect(foreign(["notes.txt"], []) == "notes.txt")
        #expect(foreign([], ["letters"]) == "letters")
        #expect(foreign(["ca.key"], ["ca.key", "martlet.sqlite"]) == "ca.key", "no name is in both places")
    }
}
