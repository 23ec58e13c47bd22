import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management

extension SQLiteStore {
    /// Queues the configurations that a device lost by starting with an older copy of its state; true if there were
    /// any.
    ///
    /// `reported` has the apps in the device's report before that start.
    static func resendConfigurations(
        to device: String, run: String, reported: JSONValue?, _ db: Database, now: Foundation.Date
    ) throws -> Bool {
        guard case .array(let elements)? = reported, !elements.isEmpty else { return false }
        let types = ResentConfigurations.requestTypes
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM command WHERE enrollment = ? AND request_type IN (?, ?, ?) ORDER BY id DESC LIMIT ?
                """,
            arguments: [device, types[0], types[1], types[2], ResentConfigurations.mostCommands])
        let commands = ResentConfigurations.commands(
            for: device, run: run, reported: elements.compactMap { try? CommandedAppStatus($0) },
            after: try rows.reversed().map { try command($0) }, at: now)
        var isSomeQueued = false
        for command in commands {
            if case .accepted = try enqueue(command, for: device, by: .server, db) { isSomeQueued = true }
        }
        return isSomeQueued
    }
}
