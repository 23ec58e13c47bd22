import AdminMessages
import Foundation
import Hummingbird
import Management

/// Devices that enrol by themselves, because they are expected.
struct ExpectedDeviceRoutes: Sendable {
    private static let one = "/expected-devices/{serialNumber}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/expected-devices", operation: "listExpectedDevices",
                summary: "The devices that are expected or came, by serial number.", query: QueryParameter.paging,
                answer: .json(.page(of: "ExpectedDevice")), service: .session(list)),
            AdminRoute(
                method: .put, path: Self.one, operation: "expectDevice",
                summary: "Let the device with this serial number enrol once, without a code.",
                body: .json(.named("ExpectedDeviceRequest")), status: .noContent, service: .session(expect)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "unexpectDevice",
                summary: "Expect the device no more; one that came stays enrolled.", status: .noContent,
                service: .session(remove)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.expectedDevices(call.page())) { device in
            AdminMessages.ExpectedDevice(
                serialNumber: device.serialNumber, group: device.group, chip: device.chip.map(Hexadecimal.text),
                created: device.created, used: device.used)
        }
    }

    private func expect(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(ExpectedDeviceRequest.self, as: "ExpectedDeviceRequest")
        let device = try Self.device(call.parameter("serialNumber"), wish, author: call.session.administrator)
        try await management.expect([device]).check()
        return AdminAnswer.nothing
    }

    private static func device(
        _ serialNumber: String, _ wish: ExpectedDeviceRequest, author: String
    ) throws(HTTPProblem) -> ExpectedDeviceRecord {
        guard (wish.chip == nil) == (wish.trustSerialNumber == true) else {
            throw HTTPProblem(
                .unprocessableContent, "invalid",
                "A device is known by its chip, or the serial number alone is trusted: say one of both.")
        }
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        return ExpectedDeviceRecord(
            serialNumber: serialNumber, group: wish.group, chip: try wish.chip.map(digest), author: author,
            created: now)
    }

    private static func digest(_ text: String) throws(HTTPProblem) -> Data {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 64, text.utf8.count == 64 else {
            throw HTTPProblem(
                .unprocessableContent, "invalid",
                "A chip is named by the SHA-256 of its endorsement key, 64 hexadecimal digits.")
        }
        return Data(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeExpectedDevice(
            serialNumber: call.parameter("serialNumber"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }
}
