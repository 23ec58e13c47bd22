/// A group of devices. `POST /groups` (`deviceCount` is the server's), `GET /groups/{group}`
package struct Group: Codable, Hashable, Sendable {
    package var name: String
    package var deviceCount: Int?

    package init(name: String, deviceCount: Int? = nil) {
        self.name = name
        self.deviceCount = deviceCount
    }
}
