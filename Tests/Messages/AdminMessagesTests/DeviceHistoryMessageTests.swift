import AdminMessages
import Foundation
import Testing

struct DeviceHistoryMessageTests {
    /// A line ends with the configuration it is about, not with a comma.
    @Test func aLineNamesTheConfigurationAndItsVersion() {
        let entry = DeviceHistoryEntry(
            kind: "device.refuse", time: Date(timeIntervalSince1970: 0), app: "com.example.hello",
            configuration: "default", version: 2)
        #expect(entry.text == "com.example.hello refuses version 2 of default")
        let held = DeviceHistoryEntry(
            kind: "device.hold", time: Date(timeIntervalSince1970: 0), app: "com.example.hello",
            configuration: "default", version: 2)
        #expect(held.text == "holds version 2 of default of com.example.hello")
    }
}
