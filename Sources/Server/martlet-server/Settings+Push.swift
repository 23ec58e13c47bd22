import ApplePush
import ArgumentParser
import Configuration
import Foundation

extension Settings {
    /// Without a slash at the end.
    static func pushService(_ options: SettingOptions, _ reader: ConfigReader) throws -> String {
        let text = options.pushService ?? reader.string(forKey: "pushService") ?? PushService.apple.url
        guard let parts = URLComponents(string: text), parts.scheme == "https", parts.host?.isEmpty == false,
            parts.query == nil, parts.fragment == nil, parts.path.isEmpty || parts.path == "/"
        else { throw ValidationError("The push service is https://name or https://name:port, without a path.") }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    func pushServiceParts() throws -> PushService {
        guard let pushAuthority else { return PushService(url: pushService, roots: []) }
        return PushService(
            url: pushService, roots: try NamedFile(pushAuthority, "--push-authority").certificates())
    }
}
