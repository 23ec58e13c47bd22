import ApplePush
import Configuration

extension Settings {
    /// Without a slash at the end.
    static func pushService(_ options: SettingOptions, _ reader: ConfigReader) -> String {
        let text = options.pushService ?? reader.string(forKey: "pushService") ?? PushService.apple.url
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    func pushServiceParts() throws -> PushService {
        guard let pushAuthority else { return PushService(url: pushService, roots: []) }
        return PushService(
            url: pushService, roots: try NamedFile(pushAuthority, "--push-authority").certificates())
    }
}
