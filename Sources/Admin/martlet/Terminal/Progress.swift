/// Shows on standard error that something takes its time.
enum Progress {
    /// Runs `body`; a terminal shows `text` and the seconds as soon as one has passed.
    static func during<Result>(
        _ text: String, isShown: Bool = true, detail: (@Sendable () -> String)? = nil, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard isShown, Terminal.showsProgress else { return try await body() }
        async let _ = tick(text, detail)
        return try await body()
    }

    private static func tick(_ text: String, _ detail: (@Sendable () -> String)?) async {
        var seconds = 0
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            seconds += 1
            Terminal.note("\r\(text) … \(detail.map { "\($0()), " } ?? "")\(seconds) s\u{1B}[K")
        }
        if seconds > 0 { Terminal.note("\r\u{1B}[K") }
    }
}
