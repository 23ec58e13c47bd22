import Foundation

extension FileHandle {
    /// The next line that a program writes, with its end; less if the output ends before.
    ///
    /// A line may arrive in parts: Python writes the end of a line on its own where its output is not buffered.
    func line() -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = availableData
            guard !part.isEmpty else { break }
            line += part
        }
        return String(decoding: line, as: UTF8.self)
    }
}
