import DeviceMessages
import Foundation
import InputBounds
import Testing

struct StatusReportTests {
    private static func golden() throws -> StatusReport {
        try StatusReport(parsing: Golden.data("status-report.json"))
    }

    @Test func findsItemsByTheirDottedNames() throws {
        let report = try Self.golden()
        #expect(report.fullReport)
        #expect(report.value(at: "device.model.family") == .string("iPhone"))
        #expect(report.value(at: "device.model.none") == nil)
        #expect(report.value(at: "device.model.family.none") == nil)
        #expect(report.errors.first?.statusItem == "device.power.battery-health")
        #expect(report.errors.first?.reasons == [StatusReason(code: "Error.NotSupported", description: "no battery")])
    }

    @Test func readsTheReportInsideACheckInMessage() throws {
        guard case .declarativeManagement(let request) = try CheckInMessage(parsing: Golden.data("ddm-status.plist")),
            let data = request.data
        else {
            Issue.record("no status message")
            return
        }
        #expect(request.endpoint == .status)
        #expect(try StatusReport(parsing: data) == Self.golden())
    }

    @Test func readsHowDeclarationsFare() throws {
        let statuses = try #require(try Self.golden().declarations())
        #expect(statuses[.configuration].map(\.valid) == [.valid, .unknown])
        #expect(statuses.configurations[1].reasons.first?.code == "Info.NotReferencedByActivation")
        #expect(statuses.configurations[1].reasons.first?.details?["ServerToken"] == .string("c2"))
        #expect(try DeclarationStatuses(statuses.value) == statuses)
    }

    @Test func readsHowAppsFare() throws {
        let apps = try #require(try Self.golden().apps())
        #expect(apps.map(\.identifier) == ["com.example.Landmarks", "com.example.Gone"])
        #expect(apps[0].configState?.app == "invalid")
        #expect(apps[0].configState?.extensions == ["com.example.Landmarks.widget": "valid"])
        #expect(apps[0].reasons.first?.code == "Info.UpdateAvailable")
        #expect(apps[1].removed)
        #expect(apps[1].value == .object(["identifier": .string("com.example.Gone"), "_removed": .boolean(true)]))
        #expect(try AppStatus(apps[0].value) == apps[0])
    }

    @Test func readsWhatTheDeviceUnderstands() throws {
        let value = try #require(try Self.golden().value(at: ClientCapabilities.name))
        let capabilities = try ClientCapabilities(value)
        #expect(capabilities.declarations[.asset] == ["com.apple.asset.data"])
        #expect(capabilities.value == value)
    }

    @Test func survivesBeingWritten() throws {
        let report = try Self.golden()
        #expect(try StatusReport(parsing: report.encoded()) == report)
        #expect(String(decoding: StatusReport().encoded(), as: UTF8.self) == #"{"Errors":[],"StatusItems":{}}"#)
    }

    @Test func putsItemsBesideEachOther() {
        var report = StatusReport()
        report.set(.string("a"), at: "device.identifier.udid")
        report.set(.string("b"), at: "device.identifier.serial-number")
        report.set(.string("c"), at: "device.identifier.udid")
        let identifiers = JSONValue.object(["udid": .string("c"), "serial-number": .string("b")])
        #expect(report.items == .object(["device": .object(["identifier": identifiers])]))
    }

    @Test(arguments: [
        #"{"Errors":[]}"#, #"{"StatusItems":[],"Errors":[]}"#, "[]", #"{"StatusItems":{}"#,
    ])
    func refusesAReportThatIsMalformed(text: String) {
        #expect(throws: InputRefusal.self) { try StatusReport(parsing: Data(text.utf8)) }
    }

    /// Red while one item that cannot be read cost the whole report, or every other item of its list.
    @Test func anItemThatCannotBeReadIsLostAlone() throws {
        let text = #"""
            {"StatusItems":{"app":{"managed":{"list":[{"identifier":"a","version":1,"reasons":[{},{"code":"c"}]},{"name":"b"}]}},
            "management":{"declarations":{"configurations":[{"identifier":"d"},
            {"identifier":"e","server-token":"t","active":true,"valid":"valid"}]}},
            "other":1e999,"other":"\ud800"},"Errors":[{},{"StatusItem":"s"}],"FullReport":1}
            """#
        let reading = try StatusReport.read(Data(text.utf8))
        let report = reading.value
        let apps = try #require(try report.apps())
        #expect(apps.map(\.identifier) == ["a"] && apps.map(\.version) == ["1"])
        #expect(apps.first?.reasons.map(\.code) == ["c"])
        #expect(try report.declarations()?.configurations.map(\.identifier) == ["e"])
        #expect(report.value(at: "other") == .string("\u{FFFD}"))
        #expect(report.errors.map(\.statusItem) == ["s"] && report.fullReport)
        #expect(
            reading.oddities.first.map(\.place) == [
                "StatusItems.other", "StatusItems.other", "StatusItems.other", "Errors[0]", "FullReport",
                "app.managed.list[0].version", "app.managed.list[0].reasons[0]", "app.managed.list[1]",
                "management.declarations.configurations[0]",
            ])
    }
}
