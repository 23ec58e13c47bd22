/// Which app and person has which user's number: the rule by which numbers are given.
///
/// An app of one team has a block of numbers, from which each person who opens it, and each of its extensions, gets one:
/// one range covers all of its processes. A further block is taken when one is full. A number stays with its account.
///
/// On the disk it is one object of names and numbers, counted from `AppNumbers.first`. `APP+PERSON@TEAM` is an account,
/// `APP@TEAM` the first number of a block (`APP@TEAM/2` of the next), and `from:NUMBER` a user whose files have yet to
/// be given to another.
struct AppUserTable: Equatable, Sendable {
    /// In the place of a team for accounts of apps that were gone when teams became part of accounts' names.
    static let nobody = "nobody"

    private static let move = "from:"

    /// A home whose files are to have another user.
    struct Move: Equatable, Sendable {
        let home: String
        let from: UInt32
        let to: UInt32
    }

    /// As on the disk.
    private(set) var entries: [String: UInt32]

    /// Takes what was read from the disk; nothing if a number in it cannot be one.
    init?(_ entries: [String: UInt32]) {
        guard entries.values.allSatisfy({ $0 < AppNumbers.most }) else { return nil }
        self.entries = entries
    }

    /// Above all numbers that are in use here.
    var end: UInt32 {
        entries.map { Self.isBlock($0.key) ? $0.value + AppNumbers.block : $0.value + 1 }.max() ?? 0
    }

    /// The number of an account; one that is new gets the next of its app's block.
    ///
    /// `takeBlock` takes a block that nobody has, at or above a number.
    mutating func number(of account: String, takeBlock: (_ least: UInt32) throws -> UInt32) throws -> UInt32 {
        if let known = entries[account] { return known }
        let number = try place(for: account, takeBlock)
        entries[account] = number
        return number
    }

    /// The name of an account's home; one from before teams were part of names stays where it is.
    func home(of account: String) -> String {
        let before = String(account.prefix { $0 != "@" })
        guard let number = entries[account], entries[before] == number else { return account }
        return before
    }

    /// Accounts from before teams were part of their names stay with the app that lies here now, and go to no other later.
    mutating func adopt(_ signer: (_ bundle: String) -> String?) {
        let taken = Set(entries.filter { $0.key.contains("@") }.values)
        for (name, number) in entries where Self.isAccount(name) && !name.contains("@") && !taken.contains(number) {
            let bundle = String(name.prefix { $0 != "+" })
            entries[name + "@" + (signer(bundle) ?? Self.nobody)] = number
        }
    }

    /// Accounts from before apps had blocks: their numbers lie in no block of their app.
    var unplaced: [String] {
        let owners = Dictionary(
            entries.filter { Self.isBlock($0.key) }.map { ($0.value, String($0.key.prefix { $0 != "/" })) },
            uniquingKeysWith: { first, _ in first })
        return entries.filter { account, number in
            guard let app = Self.app(of: account), !account.hasSuffix("@" + Self.nobody) else { return false }
            return owners[number / AppNumbers.block * AppNumbers.block] != app
        }.keys.sorted()
    }

    /// Gives an account a number in a block of its app; its files are still the old one's.
    mutating func move(_ account: String, takeBlock: (_ least: UInt32) throws -> UInt32) throws {
        guard let old = entries[account] else { return }
        let new = try place(for: account, takeBlock)
        for name in entries.filter({ Self.isAccount($0.key) && $0.value == old }).keys { entries[name] = new }
        entries[Self.move + String(old)] = new
    }

    /// What moved and whose files have yet to be given to their new user.
    var moves: [Move] {
        entries.compactMap { key, new -> Move? in
            guard key.hasPrefix(Self.move), let old = UInt32(key.dropFirst(Self.move.count)),
                let account = entries.first(where: { $0.value == new && Self.app(of: $0.key) != nil })
            else { return nil }
            return Move(home: home(of: account.key), from: old, to: new)
        }.sorted { $0.from < $1.from }
    }

    /// The files of a move are all their new user's.
    mutating func finish(_ move: Move) { entries[Self.move + String(move.from)] = nil }

    /// The numbers that an app may run as, with who signed it: its blocks, and what lies outside of them.
    func ranges(of bundle: String) -> [(signer: String, range: ClosedRange<UInt32>)] {
        let blocks = entries.filter { Self.isBlock($0.key) && $0.key.hasPrefix(bundle + "@") }.map { key, first in
            (Self.signer(in: key), first...first + AppNumbers.block - 1)
        }
        let others = unplaced.filter { $0.hasPrefix(bundle + "+") }.compactMap { account in
            entries[account].map { (Self.signer(in: account), $0...$0) }
        }
        return (blocks + others).sorted { $0.1.lowerBound < $1.1.lowerBound }.map { (signer: $0.0, range: $0.1) }
    }

    private mutating func place(for account: String, _ takeBlock: (UInt32) throws -> UInt32) throws -> UInt32 {
        guard let app = Self.app(of: account) else { preconditionFailure("an account's name has its app and team") }
        let taken = Set(entries.filter { Self.isAccount($0.key) }.values)
        let blocks = entries.filter { $0.key == app || $0.key.hasPrefix(app + "/") }.values.sorted()
        for first in blocks {
            if let free = (first..<first + AppNumbers.block).first(where: { !taken.contains($0) }) { return free }
        }
        let first = try takeBlock(end)
        entries[blocks.isEmpty ? app : "\(app)/\(blocks.count + 1)"] = first
        return first
    }

    /// An account's app and team; nothing if a name has not both.
    private static func app(of account: String) -> String? {
        guard let plus = account.firstIndex(of: "+"), let at = account.lastIndex(of: "@"), plus < at else { return nil }
        return String(account[..<plus]) + String(account[at...])
    }

    private static func signer(in name: String) -> String {
        guard let at = name.lastIndex(of: "@") else { return nobody }
        return String(name[at...].dropFirst().prefix { $0 != "/" })
    }

    private static func isAccount(_ name: String) -> Bool { name.contains("+") }

    private static func isBlock(_ name: String) -> Bool { !isAccount(name) && !name.hasPrefix(move) }
}
