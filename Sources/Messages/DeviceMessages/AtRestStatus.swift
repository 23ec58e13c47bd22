package import InputBounds

/// The status item `dev.martlet.at-rest`: what holds the key of all the device keeps, and how old that is.
///
/// An agent of ours puts it into every report. A device that begins a run with an older generation than the one it last
/// reported from was given an older copy of its own directory.
package struct AtRestStatus: Hashable, Sendable {
    package static let name = "dev.martlet.at-rest"

    /// What holds the key.
    package enum KeyHolder: String, Sendable {
        /// The device's TPM: a copy of the disk opens nowhere else.
        case tpm
        /// A file beside what it opens.
        case file
    }

    package var keyHolder: KeyHolder
    /// Another text each time the agent starts.
    package var run: String
    /// The generation that was found at that start.
    package var found: Int
    /// The generation that serves now.
    package var serving: Int

    /// The newest generation there was, if it was found torn or changed, and the one before serves since.
    ///
    /// Until what the server means the device to hold is in place again.
    package var damaged: Int?

    package init(keyHolder: KeyHolder, run: String, found: Int, serving: Int, damaged: Int? = nil) {
        self.keyHolder = keyHolder
        self.run = run
        self.found = found
        self.serving = serving
        self.damaged = damaged
    }

    package init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        guard let holder = KeyHolder(rawValue: try fields.string("key-holder", limit: 16)) else {
            throw InputRefusal("the key key-holder is neither tpm nor file")
        }
        keyHolder = holder
        run = try fields.string("run", limit: 64)
        guard let found = try fields.intIfPresent("found"), let serving = try fields.intIfPresent("serving"),
            found >= 0, serving >= found
        else { throw InputRefusal("the keys found and serving are not two numbers of generations") }
        self.found = found
        self.serving = serving
        damaged = try fields.intIfPresent("damaged")
        guard damaged.map({ (0..<serving).contains($0) }) ?? true else {
            throw InputRefusal("the key damaged is not the number of a generation before the serving one")
        }
    }

    package var value: JSONValue {
        var members: [String: JSONValue] = [
            "key-holder": .string(keyHolder.rawValue), "run": .string(run), "found": .integer(Int64(found)),
            "serving": .integer(Int64(serving)),
        ]
        if let damaged { members["damaged"] = .integer(Int64(damaged)) }
        return .object(members)
    }
}
