import Foundation
import HTTPTypes
import Hummingbird
import Management

/// By what the list of devices can be narrowed.
extension DeviceAdminRoutes {
    /// Ten years, in seconds: who was not seen for longer is not told apart.
    fileprivate static let longestUnseen = 315_360_000
    /// The words of the API for the states of an enrollment.
    fileprivate static let states: [(word: String, state: EnrollmentState)] = [
        ("enrolling", .pending), ("enrolled", .enrolled), ("checkedOut", .checkedOut), ("withdrawn", .withdrawn),
    ]

    static let filters: [QueryParameter] = [
        QueryParameter(name: "group", schema: .string, summary: "Only those in this group."),
        QueryParameter(name: "serialNumber", schema: .string, summary: "Only those that said this serial number."),
        QueryParameter(
            name: "named", schema: .string,
            summary: """
                The device with this ID and the devices with this serial number; if no device has this ID, also those of this name. \
                `id:…` and `serial:…` look for an ID or a serial number alone.
                """),
        QueryParameter(name: "state", schema: .oneOf(states.map { $0.word }), summary: "Only those in this state."),
        QueryParameter(
            name: "refusing", schema: .boolean,
            summary: "Only those on which an app refuses its configuration; false without it."),
        QueryParameter(
            name: "notSeenFor", schema: .whole(1...longestUnseen),
            summary: """
                Only devices that were not seen for so many seconds; of them the enrolled ones, if no state is asked for.
                """),
    ]
}

extension AdminCall {
    /// The state that is asked for.
    func deviceState() throws(HTTPProblem) -> EnrollmentState? {
        guard let word = query("state") else { return nil }
        guard let known = DeviceAdminRoutes.states.first(where: { $0.word == word }) else {
            let words = DeviceAdminRoutes.states.map { $0.word }.joined(separator: ", ")
            throw HTTPProblem(.badRequest, "invalid", "The parameter “state” is one of: \(words)")
        }
        return known.state
    }

    /// For how many seconds the devices were not seen that are asked for.
    func unseenSeconds() throws(HTTPProblem) -> TimeInterval? {
        guard let text = query("notSeenFor") else { return nil }
        let longest = DeviceAdminRoutes.longestUnseen
        guard let seconds = Int(text), (1...longest).contains(seconds) else {
            throw HTTPProblem(
                .badRequest, "invalid", "The parameter “notSeenFor” is a number of seconds from 1 to \(longest)")
        }
        return TimeInterval(seconds)
    }
}
