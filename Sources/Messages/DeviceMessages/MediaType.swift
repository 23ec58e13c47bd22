/// The media types of what servers and devices send each other.
package enum MediaType {
    package static let checkIn = "application/x-apple-aspen-mdm-checkin"
    package static let command = "application/x-apple-aspen-mdm; charset=UTF-8"
    package static let propertyList = "application/xml; charset=UTF-8"
    package static let json = "application/json"
    package static let profile = "application/x-apple-aspen-config"
    package static let certificate = "application/x-x509-ca-cert"
    package static let certificates = "application/x-x509-ca-ra-cert"
    package static let scepMessage = "application/x-pki-message"
    package static let problem = "application/problem+json"
    /// What an app's configuration is served as; the other three are understood as well.
    package static let configuration = "application/x-plist"
    package static let configurations = ["application/x-plist", "application/plist", "application/xml", "text/xml"]
    /// The wake-up stream: one JSON document a line.
    package static let wakeStream = "application/x-ndjson"
}
