import Foundation

extension Road {
    /// Runs one of the programs to its end, apart from any road; returns its exit status and what it printed.
    ///
    /// The status is nil if the program did not end in time. `variables` are added to its environment.
    static func answer(
        of program: String, _ arguments: [String], variables: [String: String] = [:]
    ) async throws -> (status: Int32?, text: String) {
        let usual = environment(FileManager.default.temporaryDirectory)
        let process = try RunningProcess(
            program, binary(program), arguments, environment: usual.merging(variables) { _, given in given })
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        return (status, process.output.map(\.text).joined(separator: "\n"))
    }
}
