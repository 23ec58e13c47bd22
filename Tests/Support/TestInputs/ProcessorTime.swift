import Foundation

/// Seconds that this thread computed for some work: what else the machine does is not counted.
package func processorSeconds(_ work: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let begun = now()
    try work()
    return now() - begun
}
