import DeviceMessages

/// Taking away what the server has taken back, also while the disk refuses to keep that.
///
/// An app can fill the disk that its home lies on. What it has lost leaves the service first, which needs no disk.
extension Applied {
    /// What is left of this where the device is to hold `meant` alone; nothing that is only in `meant` is added.
    ///
    /// A value in whose place another is meant stays until that is on the disk.
    package func within(_ meant: Applied) -> Applied {
        var left = self
        left.secrets = secrets.filter { meant.secrets[$0.key] != nil }
        left.assets = assets.filter { meant.assets[$0.key] != nil }
        for system in DeviceSystems.all { system.withdraw(from: &left, beyond: meant) }
        if left != self { left.generation += 1 }
        return left
    }
}
