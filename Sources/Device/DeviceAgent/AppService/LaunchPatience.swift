/// How long launches that hang hold up the thread that launches apps and serves them.
///
/// A launch waits until its program has begun. That takes milliseconds, or as long as a disk or a server of files does not
/// answer. One that hangs has the whole patience. Those that come soon after it have what is left, and at least as long as
/// a program takes to begin on a busy machine: many together still take less time than the service manager waits for the
/// agent.
struct LaunchPatience {
    /// Longer than an overloaded machine takes to start a program.
    static let most = Duration.seconds(20)
    static let least = Duration.milliseconds(250)
    /// What was used comes back in so many times as long.
    static let slowness = 4

    private var left = Self.most
    private var last: ContinuousClock.Instant?

    /// How long a step of a launch may take that begins now.
    mutating func bound(at now: ContinuousClock.Instant) -> Duration {
        if let last, now > last { left = min(Self.most, left + (now - last) / Self.slowness) }
        last = now
        return max(left, Self.least)
    }

    /// A step has ended, and took so long.
    mutating func used(_ time: Duration, at now: ContinuousClock.Instant) {
        left = max(.zero, left - max(.zero, time - Self.least))
        last = now
    }
}
