/// The text by which a request names a device.
///
/// Devices choose their IDs and serial numbers themselves, so one text may be the ID of one device and the serial
/// number of another. A text with a prefix is compared with one of the two alone.
package enum DeviceReference: Sendable, Equatable {
    package static let idPrefix = "id:"
    package static let serialNumberPrefix = "serial:"

    /// `id:…`: the device with this ID.
    case id(String)
    /// `serial:…`: the devices with this serial number.
    case serialNumber(String)
    /// Any other text: an ID, a serial number or, in a search, a name.
    case text(String)

    package init(_ text: String) {
        if let id = Self.rest(of: text, behind: Self.idPrefix) {
            self = .id(id)
        } else if let number = Self.rest(of: text, behind: Self.serialNumberPrefix) {
            self = .serialNumber(number)
        } else {
            self = .text(text)
        }
    }

    /// The text without its prefix.
    package var content: String {
        switch self {
        case .id(let text), .serialNumber(let text), .text(let text): text
        }
    }

    private static func rest(of text: String, behind prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(text[text.utf8.index(text.utf8.startIndex, offsetBy: prefix.utf8.count)...])
    }
}
