import Foundation

/// A file that a person names as a program.
enum ProgramFile {
    /// Why the file at a path cannot be started as a program; nothing if it can.
    static func fault(at path: String) -> AgentFailure? {
        let subject = "the program \(path) cannot be started"
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return AgentFailure("\(subject): there is no such file", advice: "Build it first, or correct its path.")
        }
        if isDirectory.boolValue {
            return AgentFailure("\(subject): it is a directory", advice: "Name the program that lies in it.")
        }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            return AgentFailure("\(subject): you may not execute it", advice: "Make it executable: chmod +x \(path)")
        }
        return nil
    }

    /// Why the agent runs no such program as an app.
    static func refusal(of program: String, as app: String) -> AgentFailure {
        if program.hasPrefix("/"), let fault = fault(at: program) { return fault }
        return AgentFailure(
            "\(program) is no program of the app's",
            advice: "A program of \(app) is an executable file in its directory, outside of its extensions. Name it by "
                + "its path from that directory, such as bin/tool.")
    }
}
