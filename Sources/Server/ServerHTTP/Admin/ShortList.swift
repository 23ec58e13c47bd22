import AdminMessages
import Crypto
import Foundation
import Management

/// The order of a list that is read as a whole because it is short, by a key that each item has alone.
///
/// A page goes on behind the key of the page before, so that no item is skipped or shown twice because others came or
/// went meanwhile.
struct ShortList<Item: Codable & Sendable> {
    private let key: (Item) -> String
    private let precedes: (String, String) -> Bool

    /// A list in the order of its keys' bytes, as the store has them, unless `precedes` says another one.
    init(
        by key: @escaping (Item) -> String,
        precedes: @escaping (String, String) -> Bool = { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    ) {
        self.key = key
        self.precedes = precedes
    }

    /// The page that is asked for of all items; its cursor is the key of its last one.
    func page(of items: [Item], _ request: PageRequest) -> AdminMessages.Page<Item> {
        var keyed = items.map { (key: key($0), item: $0) }
        keyed.sort { precedes($0.key, $1.key) }
        if let after = request.after { keyed.removeAll { !precedes(after, $0.key) } }
        let page = keyed.prefix(request.limit)
        return AdminMessages.Page(
            items: page.map(\.item), next: keyed.count > page.count ? page.last?.key : nil)
    }
}

/// Parts of keys whose bytes sort as what they stand for.
enum ListKey {
    /// A number of which the largest comes first; what is less than 0 counts as 0.
    static func descending(_ number: Int) -> String {
        let digits = String(Int.max - max(0, number))
        return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
    }

    /// A time of which the latest comes first, to the second.
    static func newestFirst(_ time: Date) -> String {
        descending(Int(exactly: time.timeIntervalSince1970.rounded(.down)) ?? 0)
    }

    /// Tells things apart that are named by many parts, each of any length.
    static func digest(_ parts: [String?]) -> String {
        let text = parts.map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined()
        return Hexadecimal.text(SHA256.hash(data: Data(text.utf8)).prefix(16))
    }
}

extension ShortList<AdminMessages.Administrator> {
    static var administrators: Self { Self(by: { $0.name }) }
}

extension ShortList<AdminMessages.Team> {
    static var teams: Self { Self(by: { $0.fingerprint }) }
}

extension ShortList<AdminMessages.AppSource> {
    /// By platform, those first that a device takes first.
    static var sources: Self {
        Self(by: { source in
            let rank = AppSourceRecord.Origin.allCases.firstIndex { $0.rawValue == source.origin } ?? 0
            return "\(source.platform)/\(rank)"
        })
    }
}

extension ShortList<AdminMessages.Package> {
    /// The newest first.
    static var packages: Self { Self(by: { "\(ListKey.newestFirst($0.uploaded))-\($0.sha256)" }) }
}

extension ShortList<SpecificationSummary> {
    /// The newest version first.
    static var specifications: Self { Self(by: { $0.version }, precedes: SpecificationChoice.precedes) }
}

extension ShortList<AppVersionSummary> {
    /// The newest version first.
    static var versions: Self { Self(by: { $0.version }, precedes: SpecificationChoice.precedes) }
}

extension ShortList<AdminMessages.ConfigurationRefusal> {
    /// Those on most devices first, and of these the latest; one moves when it comes to stand on more devices.
    static var refusals: Self {
        Self(by: { refusal in
            let digest = ListKey.digest([
                refusal.extension, refusal.appVersion, refusal.configurationName,
                refusal.configurationVersion.map { String($0) }, refusal.code.map { String($0) }, refusal.keyPath,
            ])
            return [
                ListKey.descending(refusal.devices), ListKey.newestFirst(refusal.latest ?? refusal.since), digest,
            ].joined(separator: "-")
        })
    }
}
