import DeviceMessages
package import Foundation

/// Reads the wake stream: a line for each event, an empty one as a heartbeat.
package struct WakeLines: Sendable {
    /// An event is a PushMagic in an object; anything near this long is not one.
    private static let longestLine = 4_096

    private let pushMagic: String
    private var line = Data()
    private var skipping = false

    /// Listens for events that carry our PushMagic; others are not meant for us.
    package init(pushMagic: String) { self.pushMagic = pushMagic }

    /// Takes bytes as they come; returns whether one of the lines they end wakes the device.
    package mutating func take(_ bytes: Data) -> Bool {
        var wakes = false
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !skipping, !line.isEmpty, let event = try? WakeEvent(parsing: line), event.pushMagic == pushMagic {
                    wakes = true
                }
                line.removeAll(keepingCapacity: true)
                skipping = false
            } else if line.count < Self.longestLine {
                line.append(byte)
            } else {
                skipping = true
            }
        }
        return wakes
    }
}
