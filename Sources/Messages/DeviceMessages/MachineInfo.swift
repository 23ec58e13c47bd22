package import Foundation
package import InputBounds

/// What a device says of itself when it asks for an enrollment profile; on the wire it is signed.
///
/// Which key signs says nothing here of who the device is: that has to be proven in another way.
package struct MachineInfo: Hashable, Sendable {
    package var product: String
    /// The build.
    package var version: String
    package var osVersion: String?
    package var language: String?
    /// A person's enrollment has none, nor a serial number.
    package var udid: String?
    package var serialNumber: String?

    package init(
        product: String, version: String, osVersion: String? = nil, language: String? = nil, udid: String? = nil,
        serialNumber: String? = nil
    ) {
        self.product = product
        self.version = version
        self.osVersion = osVersion
        self.language = language
        self.udid = udid
        self.serialNumber = serialNumber
    }

    /// Reads what was in the signed message, as far as it can be read.
    ///
    /// What is too long is cut, and then ends in a character that no serial number has.
    package init(parsing data: Data) throws(InputRefusal) {
        let limits = InputLimits(bytes: 65_536, depth: 8, objects: 1_000)
        var said = SaidFields(try MessageFields(PropertyListValue.reading(data, limits: limits).value))
        guard let product = said.text("PRODUCT", limit: 256) else { throw InputRefusal("the key PRODUCT is missing") }
        guard let version = said.text("VERSION", limit: 256) else { throw InputRefusal("the key VERSION is missing") }
        self.product = product
        self.version = version
        osVersion = said.text("OS_VERSION", limit: 256)
        language = said.text("LANGUAGE", limit: 64)
        udid = said.text("UDID", limit: 128)
        serialNumber = said.text("SERIAL", limit: 128)
    }

    /// The message as an XML property list.
    package func encoded() -> Data {
        var entries = MessageEntries()
        entries.set("PRODUCT", product)
        entries.set("VERSION", version)
        entries.set("OS_VERSION", osVersion)
        entries.set("LANGUAGE", language)
        entries.set("UDID", udid)
        entries.set("SERIAL", serialNumber)
        return entries.value.xml()
    }
}
