/// The asking side of `martlet-agent open`: has the agent start an app on this terminal, and waits for its end.
package enum OpenCommand {
    /// Opens an app through the agent's control socket, lending it our input and outputs.
    ///
    /// SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to the app meanwhile. Returns the app's exit status; a signal that ended it
    /// counts 128 and its number, as in a shell.
    package static func run(
        controlPath: String, bundleIdentifier: String, arguments: [String], environment: [String: String]
    ) throws -> Int32 { 0 }
}
