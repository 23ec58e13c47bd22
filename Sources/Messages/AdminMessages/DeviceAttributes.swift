/// What administrators say of a device, such as its location. `GET` and `PUT /devices/{device}/attributes`
package struct DeviceAttributes: Codable, Hashable, Sendable {
    /// The texts by their keys; each is a variable, such as `${device.attributes.location}`.
    package var attributes: [String: String]

    package init(attributes: [String: String]) { self.attributes = attributes }
}

/// Changes what is mentioned of a device's attributes. `PATCH /devices/{device}/attributes`
package struct DeviceAttributesPatch: Codable, Hashable, Sendable {
    package var attributes: [String: Patched<String>]

    package init(attributes: [String: Patched<String>]) { self.attributes = attributes }
}

/// What a table of attributes did, or would do. `POST /device-attributes/import`
package struct AttributesImportAnswer: Codable, Hashable, Sendable {
    /// How many devices have other attributes than before.
    package var changed: Int
    package var unchanged: Int
    /// Nothing was written.
    package var dryRun: Bool

    package init(changed: Int, unchanged: Int, dryRun: Bool) {
        self.changed = changed
        self.unchanged = unchanged
        self.dryRun = dryRun
    }
}
