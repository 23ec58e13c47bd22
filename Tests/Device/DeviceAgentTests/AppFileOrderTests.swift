import Foundation
import Logging
import Synchronization
import Testing

@testable import DeviceAgent

/// An app's files when they change while it is opened.
struct AppFileOrderTests {
    /// What an app was given before its directory is made lies there when it is made.
    ///
    /// Red, in most runs, where the states are taken before the directories are locked: between these steps the directory
    /// of an app that begins had the files of before, or none.
    @Test func theDirectoryOfAnAppThatBeginsHasTheNewestState() throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let files = AppFiles(
            directory: root.path, runtime: nil, log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ) { _ in throw StoreRefusal.blobMissing }
        defer { files.stop() }
        for round in 0..<500 {
            let list = "<plist version=\"1.0\"><dict><key>round</key><integer>\(round)</integer></dict></plist>"
            let state = AppState(managed: true, synchronised: true, configuration: Data(list.utf8))
            files.update(AppStates(apps: [Fixture.app: state]))
            let path = try files.open(AppIdentity(Fixture.app, signedBy: nil), user: nil)
            let configuration = try? String(contentsOfFile: path + "/configuration.json", encoding: .utf8)
            #expect(configuration == #"{"round":\#(round)}"#)
            files.close(path)
        }
    }

    /// Red where nobody hears that a configuration lies there for an app, or where an app without one counts.
    @Test func whatLiesThereForAnAppIsNoted() throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let noted = Mutex<[ConfigurationHandOver]>([])
        let files = AppFiles(
            directory: root.path, runtime: nil, log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            secret: { _ in throw StoreRefusal.blobMissing }, written: { note in noted.withLock { $0.append(note) } })
        files.update(AppStates(apps: [:]))
        let first = try files.open(AppIdentity(Fixture.app, signedBy: nil), user: nil)
        let list = "<plist version=\"1.0\"><dict><key>round</key><integer>1</integer></dict></plist>"
        let state = AppState(managed: true, synchronised: true, configuration: Data(list.utf8))
        files.update(AppStates(apps: [Fixture.app: state]))
        files.close(first)
        files.stop()
        let note = ConfigurationHandOver(bundleIdentifier: Fixture.app, version: state.version, way: .files)
        let all = noted.withLock { $0 }
        #expect(all == [note])
    }
}
