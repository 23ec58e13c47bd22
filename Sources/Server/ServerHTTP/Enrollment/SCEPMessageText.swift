package import Foundation

/// Reads a SCEP message out of a query string.
///
/// Clients differ: some escape the Base64 text, some leave `+` as it is, some turn it into a blank, some write the URL
/// alphabet, and some leave out the padding.
package enum SCEPMessageText {
    package static func data(inQuery query: String) -> Data? {
        guard let raw = value(of: "message", inQuery: query) else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(raw.utf8.count + 2)
        for octet in (raw.removingPercentEncoding ?? raw).utf8 {
            switch octet {
            case UInt8(ascii: " "): octets.append(UInt8(ascii: "+"))
            case UInt8(ascii: "-"): octets.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): octets.append(UInt8(ascii: "/"))
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "="): break
            default: octets.append(octet)
            }
        }
        octets += Array(repeating: UInt8(ascii: "="), count: (4 - octets.count % 4) % 4)
        return Data(base64Encoded: Data(octets))
    }

    static func value(of name: String, inQuery query: String) -> String? {
        for pair in query.split(separator: "&") where pair.hasPrefix(name + "=") {
            return String(pair.dropFirst(name.utf8.count + 1))
        }
        return nil
    }
}
