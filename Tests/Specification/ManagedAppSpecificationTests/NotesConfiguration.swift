import Foundation
import ManagedApp
import ManagedAppSpecification

/// A configuration with a bit of everything.
@ManagedConfiguration
struct NotesConfiguration: Equatable {
    /// Where notes are kept.
    @Key(title: "Server", pattern: "^https://", examples: ["https://notes.example.com"])
    let serverURL: URL

    /// How often notes are fetched,
    /// in minutes.
    @Key(range: 5...120) private(set) var syncMinutes: Int = 15

    /// What people may do.
    @Key("user_role", default: Role.staff) let role: Role

    /// When notes end.
    @Key(dates: "2026-01-01T00:00:00Z"..."2030-01-01T00:00:00Z") let expires: Date?

    /// A picture.
    @Key(size: 1...8) let logo: Data?

    /// Who shares.
    @Key(count: 0...2, default: [Team]()) let teams: [Team]

    /// Words for places.
    let labels: [String: String]?

    /// Part of what is shown.
    @Key(range: 0.5..<1, group: "Looks", hidden: true) let share: Double?

    /// Where to look.
    @Key(unique: true) let places: [URL]?

    /// A small number.
    let small: Int8?

    /// What was.
    @Key(since: "1.0", deprecated: .since("2.0", until: "4.0", replacedBy: "syncMinutes")) let syncSeconds: Int?

    enum Role: String, CaseIterable, ConfigurationValue { case staff, lead }

    /// Where the team meets; only a few places are known.
    let place: Place?

    /// By which the app knows the organization.
    @Key(pattern: "^[A-Z]{2}$", refusal: NotesError.noCode) let code: String?

    static let conditions: [ConfigurationCondition] = [
        .when("share", requires: ["logo"]),
        .when("syncMinutes", is: 120, excludes: ["logo"], refusal: NotesError.tooSeldom),
    ]

    static let shared = 3
    var isHourly: Bool { syncMinutes == 60 }

    func validate() throws {
        if serverURL.host() == "localhost" { throw NotesError.noServer }
    }
}

/// Configured by its number.
enum Place: Equatable, ConfigurationConvertible {
    case forest, lake

    static var shape: ConfigurationShape { Int.shape.choices([(1, "The forest"), (2, nil)]) }
    var configured: Int { self == .forest ? 1 : 2 }

    init?(configured number: Int) {
        switch number {
        case 1: self = .forest
        case 2: self = .lake
        default: return nil
        }
    }
}

@ManagedConfiguration
struct Team: Equatable {
    /// The team's name.
    @Key(length: 1...5) let name: String
    /// Who is in.
    let members: [String]?
}

struct NotesError: ManagedAppConfigurationDecodingError, Equatable {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String

    static let noServer = NotesError(100, "noServer: not this device")
    static let noCode = NotesError(101, "noCode: not two capital letters")
    static let tooSeldom = NotesError(102, "tooSeldom: a logo is fetched more often")

    private init(_ number: Int, _ message: String) {
        guard let code = ManagedAppConfigurationDecodingErrorCode(rawValue: number) else {
            preconditionFailure("the app's codes are below the reserved ones")
        }
        self.code = code
        self.message = message
    }

    static func == (left: NotesError, right: NotesError) -> Bool { left.code == right.code }
}
