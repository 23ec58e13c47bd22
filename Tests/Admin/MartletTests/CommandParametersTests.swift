import Foundation
import InputBounds
import Testing
import martlet

/// The keys of a command that are in a file.
struct CommandParametersTests {
    /// Red where a key of the file is lost or changes its type; JSON has none for data.
    @Test(arguments: [true, false])
    func aCommandHasTheKeysOfThePropertyList(isBinary: Bool) throws {
        let list: [String: Any] = ["Payload": Data([1, 2, 3]), "Late": Date(timeIntervalSince1970: 0)]
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: list, format: isBinary ? .binary : .xml, options: 0)
        let request = try CommandParameters.request(requestType: "InstallProfile", propertyList: bytes)
        #expect(request["RequestType"] == .string("InstallProfile"))
        #expect(request["Payload"] == .data(Data([1, 2, 3])))
        #expect(request.dictionary?.count == 3)
    }

    @Test(arguments: [
        "<plist><array/></plist>", "{}",
        "<plist><dict><key>RequestType</key><string>ProfileList</string></dict></plist>",
    ])
    func whatIsNoCommandOfThisTypeIsRefused(text: String) {
        #expect(throws: Failure.self) {
            try CommandParameters.request(requestType: "InstallProfile", propertyList: Data(text.utf8))
        }
    }
}
