/// What lies where a backup is to be put back: nothing, what a restore that was cut off or a first start that never served
/// left, or what is somebody's.
///
/// A restore copies everything into a folder of its own and moves it out name by name, so that each name is in one of
/// both places. What does not look so was left by neither, and is not removed.
package struct RestoreRemains: Equatable, Sendable {
    /// The names in the data directory, but for the folder and for what may be there before a restore.
    package var beside: Set<String>
    /// The names in the folder of a restore; nothing where there is no such folder.
    package var inFolder: Set<String>?
    /// The names that a restore gives to files.
    package var ours: Set<String>
    /// The names that a first start gives to files; none where no first start says that it has begun and not ended.
    package var ofFirstStart: Set<String>

    package init(
        beside: Set<String>, inFolder: Set<String>?, ours: Set<String>, ofFirstStart: Set<String> = []
    ) {
        self.ofFirstStart = ofFirstStart
        self.beside = beside
        self.inFolder = inFolder
        self.ours = ours
    }

    /// The name of something that was left by neither; nothing where a restore may begin, or begin again.
    package var foreign: String? {
        let beside = beside.subtracting(ofFirstStart)
        guard let inFolder else { return beside.min() }
        return beside.subtracting(ours).min() ?? inFolder.subtracting(ours).min() ?? beside.intersection(inFolder).min()
    }
}
