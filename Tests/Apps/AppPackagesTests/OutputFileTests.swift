import AppPackages
import Foundation
import Testing

/// Files that have their name only when they are whole.
struct OutputFileTests {
    /// Red where a look and a rename were two steps: what came between them was replaced.
    @Test func aFileThatCameMeanwhileStaysUnlessItIsToBeReplaced() throws {
        let folder = try Folder()
        func commit(_ byte: UInt8, to name: String, replacing: Bool, meanwhile: () throws -> Void = {}) throws {
            let output = try OutputFile(path: folder.path(name))
            try output.write([byte])
            try meanwhile()
            try output.commit(replacing: replacing)
        }
        let late = refusal {
            try commit(1, to: "a", replacing: false) { try folder.write([2], "a") }
        }
        #expect(late == .exists)
        #expect(try Data(contentsOf: folder.url.appending(path: "a")) == Data([2]))
        try commit(3, to: "a", replacing: true)
        #expect(try Data(contentsOf: folder.url.appending(path: "a")) == Data([3]))
        try commit(4, to: "b", replacing: false)
        #expect(try Data(contentsOf: folder.url.appending(path: "b")) == Data([4]))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["a", "b"], "no part is left")
    }
}
