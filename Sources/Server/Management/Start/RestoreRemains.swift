/// What lies where a backup is to be put back: nothing, what a restore that was cut off left, or what is somebody's.
///
/// A restore copies everything into a folder of its own and moves it out name by name, so that each name is in one of
/// both places. What does not look so was not left by a restore, and is not removed.
package struct RestoreRemains: Equatable, Sendable {
    /// The names in the data directory, but for the folder and for what may be there before a restore.
    package var beside: Set<String>
    /// The names in the folder of a restore; nothing where there is no such folder.
    package var inFolder: Set<String>?
    /// The names that a restore gives to files.
    package var ours: Set<String>

    package init(beside: Set<String>, inFolder: Set<String>?, ours: Set<String>) {
        self.beside = beside
        self.inFolder = inFolder
        self.ours = ours
    }

    /// The name of something that no restore left; nothing where a restore may begin, or begin again.
    package var foreign: String? {
        guard let inFolder else { return beside.min() }
        return beside.subtracting(ours).min() ?? inFolder.subtracting(ours).min() ?? beside.intersection(inFolder).min()
    }
}
