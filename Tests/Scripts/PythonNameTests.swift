import Foundation
import Testing

/// Our scripts in Python, looked at without running them: some take half an hour.
@Suite(.timeLimit(.minutes(5))) struct PythonNameTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "scripts")

    /// Prints each function that has a variable named as a function or class of its file.
    private static let search = """
        import pathlib, symtable, sys
        def look(table, names):
            for inner in table.get_children():
                for symbol in inner.get_symbols() if inner.get_type() == "function" else ():
                    if symbol.is_local() and not symbol.is_parameter() and symbol.get_name() in names:
                        print(inner.get_name(), symbol.get_name())
                look(inner, names)
        source = pathlib.Path(sys.argv[1]).read_text()
        table = symtable.symtable(source, sys.argv[1], "exec")
        look(table, {symbol.get_name() for symbol in table.get_symbols() if symbol.is_namespace()})
        print("looked")
        """

    /// Red for `signatures = …` in a function that calls `signatures()` before: to Python both are the variable.
    @Test func noVariableTakesTheNameOfAFunctionOfItsScript() throws {
        var seen = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.scripts.path).sorted() {
            let file = Self.scripts.appending(path: name)
            guard let source = try? String(contentsOf: file, encoding: .utf8),
                name.hasSuffix(".py") || source.hasPrefix("#!/usr/bin/env python3")
            else { continue }
            seen += 1
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["python3", "-B", "-c", Self.search, file.path]
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(String(decoding: said, as: UTF8.self) == "looked\n", "\(name)")
        }
        #expect(seen > 5)
    }
}
