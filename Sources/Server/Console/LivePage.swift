/// A page that shows what changes while it is open, as far as the browser runs scripts.
///
/// The script has the page made again and exchanges the parts of it that differ: every `Panel`, and whatever bears
/// `data-part`. To be asked for before anything else is read, so that no change falls between page and stream.
struct LivePage {
    /// What changes concern it.
    enum Subject {
        case everything
        case app(String)
        case device(String)
        case jobs
        case job(String)
    }

    private let subject: Subject
    /// After which change the page was made.
    private let place: String?

    /// Nothing where the stream cannot be had: the page is as good without.
    static func of(_ subject: Subject, _ call: ConsoleCall) async throws -> LivePage? {
        let answer = try await call.door.answer(AdminDoorCall("GET", "/events?follow=false"))
        guard answer.status == 200 else { return nil }
        let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix("id: ") }
        return LivePage(subject: subject, place: line.map { String($0.dropFirst(4)) })
    }

    /// What the script reads.
    var attributes: HTML {
        let subject: HTML =
            switch subject {
            case .everything: "data-live=\"everything\""
            case .app(let app): "data-live=\"app\" data-app=\"\(app)\""
            case .device(let device): "data-live=\"device\" data-device=\"\(device)\""
            case .jobs: "data-live=\"jobs\""
            case .job(let job): "data-live=\"job\" data-job=\"\(job)\""
            }
        return " \(subject) data-source=\"\(ConsolePages.liveSource)\" data-after=\"\(place ?? "")\""
    }
}
