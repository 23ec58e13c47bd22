import ArgumentParser

/// The command `martlet spec …`.
struct SpecificationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spec",
        abstract: "What an app publishes for administrators: its configuration, secrets and errors.",
        discussion: """
            A specification is a JSON Schema (2020-12) for the app's configuration, whose annotations name the secrets \
            it asks for, its error codes, its extensions and samples. No server is needed. docs/Martlet.docc/Specifications.md says \
            how one is written.

            Exit status, for scripts: 0 as wanted, 3 a file is not there, 4 something is wrong, with the rule; \
            1 a file could not be read.
            """,
        subcommands: [
            SpecificationLint.self, SpecificationValidate.self, SpecificationDiff.self, SpecificationRender.self,
            SpecificationExample.self, SpecificationConvert.self, SpecificationEmit.self,
        ])
}
