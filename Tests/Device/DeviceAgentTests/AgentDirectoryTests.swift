import DeviceAgent
import Testing

/// An agent begins nowhere where it would clear what a person keeps.
struct AgentDirectoryTests {
    private static let names: [([String], String?)] = [
        (["notes.txt", "downloads"], "downloads"), (["managed-apps"], "managed-apps"), (["blobs", "trust"], "blobs"),
        // The places of apps and sockets are there before a first start, and so is memory for apps' files.
        (["apps", "app.socket", "control.socket", "app-files", "lock"], nil), ([], nil),
        (["device.key", "generations", "blobs", "downloads", "managed-apps"], nil),
        (["device.sealed-key", "downloads"], nil), (["generations", "blobs"], nil),
    ]

    /// Red: an agent that was started in a person's directory removed everything in its `downloads`.
    @Test(arguments: names)
    func aFolderThatNoAgentMadeIsSomebodys(names: [String], foreign: String?) {
        #expect(AgentDirectory.foreign(among: Set(names)) == foreign)
    }
}
