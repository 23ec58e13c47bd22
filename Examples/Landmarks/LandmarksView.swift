import Foundation

/// The model as lines on a terminal.
@MainActor
struct LandmarksView {
    private static let clearScreen = "\u{1B}[2J\u{1B}[H"

    /// Draws everything anew.
    func draw(_ model: LandmarksModel) {
        let text = lines(of: model).joined(separator: "\n") + "\n\n"
        let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) == 1
        FileHandle.standardOutput.write(Data((isTerminal ? Self.clearScreen + text : text).utf8))
        Trace.note("view drawn")
    }

    private func lines(of model: LandmarksModel) -> [String] {
        var lines = ["LANDMARKS", ""]
        if let collection = model.managedCollection {
            lines.append("== Managed Collection: \(plain(collection.title)) ==")
            lines += collection.landmarks.map(line)
        } else {
            lines.append("(no managed collection)")
        }
        lines += ["", "== All Landmarks =="]
        return lines + Landmark.all.map(line) + downloadedLines(of: model)
    }

    private func downloadedLines(of model: LandmarksModel) -> [String] {
        switch model.downloaded {
        case .landmarks(let landmarks):
            ["", "== Downloaded Landmarks: \(landmarks.count) =="] + landmarks.prefix(12).map(line)
        case .nothing(let why):
            ["", "(no downloaded landmarks: \(why))"]
        case nil:
            []
        }
    }

    private func line(_ landmark: Landmark) -> String {
        "  \(landmark.id)  \(plain(landmark.name)), \(plain(landmark.place))"
    }

    // It is someone else's text: it must not steer the terminal.
    private func plain(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}
