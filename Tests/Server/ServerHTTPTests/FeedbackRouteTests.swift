import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What the API says of feedback: hand-overs with their numbers, and how a number went.
@Suite struct FeedbackRouteTests {
    private static func report(_ counts: [Int64]) throws -> Data {
        report(of: counts.map { (life: "l\($0)", dictionary: "", numbers: ["failureCount": $0]) })
    }

    private static func report(of lives: [(life: String, dictionary: String, numbers: [String: Int64])]) -> Data {
        let now = Date()
        let elements = lives.map { one in
            AppFeedbackStatus(
                life: one.life, app: "a.b",
                feedback: PropertyListValue.dictionary(one.numbers.mapValues { PropertyListValue.integer($0) }).xml(),
                configuration: one.dictionary, from: now, to: now
            ).value
        }
        var report = StatusReport()
        report.set(.array(elements), at: AppFeedbackStatus.name)
        return report.encoded()
    }

    private func walk(_ step: (AdminClient) async throws -> Void) async throws {
        try await walkWithDevice { (admin, _) async throws in try await step(admin) }
    }

    private func walkWithDevice(_ step: (AdminClient, PlayedDevice) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let app = App(bundleIdentifier: "a.b", name: "A")
                    #expect(try await admin.send("PUT", "/apps/a.b", app).status == 200)
                    #expect(try await device.ask(.status, Self.report([3, 4])).status == 200)
                    try await step(admin, device)
                }
            }
        }
    }

    /// By the number it is known what came later.
    @Test func whatCameLaterHasAGreaterNumber() async throws {
        try await walk { admin in
            let page: Page<AppFeedback> = try await admin.get("/apps/a.b/feedback")
            #expect(page.items.map(\.life) == ["l4", "l3"])
            let numbers = page.items.map(\.number)
            #expect(numbers.sorted(by: >) == numbers && Set(numbers).count == 2 && numbers.allSatisfy { $0 > 0 })
        }
    }

    /// Red while the measured numbers were to be had app by app alone.
    @Test func theMeasuredNumbersOfAllAppsAreOneList() async throws {
        try await walk { admin in
            #expect(try await admin.send("PUT", "/apps/a.c", App(bundleIdentifier: "a.c", name: "C")).status == 200)
            for (app, keys) in [("a.c", ["x"]), ("a.b", ["y/z", "x"])] {
                let set = try await admin.send("PUT", "/apps/\(app)/feedback/metrics", FeedbackMetrics(keys: keys))
                #expect(set.status == 200, "\(set.text)")
            }
            let all = [("a.b", "x"), ("a.b", "y/z"), ("a.c", "x")].map { FeedbackMetric(app: $0, key: $1) }
            let whole: Page<FeedbackMetric> = try await admin.get("/feedback/metrics")
            #expect(whole.items == all && whole.next == nil)
            let first: Page<FeedbackMetric> = try await admin.get("/feedback/metrics?limit=2")
            #expect(first.items == Array(all.prefix(2)))
            let cursor = try #require(first.next?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let second: Page<FeedbackMetric> = try await admin.get("/feedback/metrics?limit=2&cursor=\(cursor)")
            #expect(second.items == Array(all.suffix(1)) && second.next == nil)
        }
    }

    @Test(arguments: ["hour", "day"]) func aTrendIsOfOneNumber(interval: String) async throws {
        try await walk { admin in
            let trend: FeedbackTrend = try await admin.get(
                "/apps/a.b/feedback/trend?key=failureCount&interval=\(interval)")
            #expect(trend.key == "failureCount" && trend.interval == interval)
            // A report at the turn of an hour would be two steps, were its lives not of one moment.
            #expect(trend.steps.map(\.sum) == [7] && trend.steps.map(\.devices) == [1])
            let other: FeedbackTrend = try await admin.get("/apps/a.b/feedback/trend?key=other&interval=\(interval)")
            #expect(other.steps.isEmpty)
        }
    }

    /// The keys that the specification names are summed whole, however many keys and dictionaries a device writes, and
    /// the answers say if they leave anything out.
    ///
    /// Red if the sums are cut at a number of rows: the first keys in order would push out all others.
    @Test func whatTheSpecificationNamesIsSummedWhole() async throws {
        try await walkWithDevice { (admin, device) async throws in
            let before: FeedbackSummary = try await admin.get("/apps/a.b/feedback/summary")
            #expect(before.isCut == false && before.totals.map(\.sum) == [7])
            let specification = #"""
                {"type": "object", "x-app": {"bundleIdentifier": "a.b", "version": "1"},
                 "x-feedback": [{"key": "failureCount", "title": "Failures"}]}
                """#
            let set = try await admin.send(
                "PUT", "/apps/a.b/specifications/1", headers: ["Content-Type": "application/json"],
                body: Data(specification.utf8))
            #expect(set.status == 200)
            for start in [100, 130] {
                let lives = (start..<start + 30).map { number in
                    var numbers = ["failureCount": Int64(1)]
                    for digit in 0..<9 { numbers["a\(number)\(digit)"] = 1 }
                    return (life: "m\(number)", dictionary: "0\(number)", numbers: numbers)
                }
                #expect(try await device.ask(.status, Self.report(of: lives)).status == 200)
            }
            let summary: FeedbackSummary = try await admin.get("/apps/a.b/feedback/summary")
            let named = summary.totals.filter { $0.key == "failureCount" }
            #expect(summary.isCut == true && summary.totals.first?.key == "failureCount")
            #expect(named.map(\.sum).reduce(0, +) == 67 && named.last?.isOfOthers == true)
            #expect(Set(summary.totals.map(\.key)).count == 101)
            let trend: FeedbackTrend = try await admin.get("/apps/a.b/feedback/trend?key=failureCount&interval=day")
            #expect(trend.isCut == true && trend.steps.map(\.sum).reduce(0, +) == 67)
        }
    }

    /// Feedback since a version is of hand-overs with this version of the configuration or a later one; the answer says
    /// how many are left out because their version is not known.
    ///
    /// Red where only digests are compared: an older version's numbers are in the sums.
    @Test func feedbackSinceAVersionIsOfLaterOnesToo() async throws {
        try await walkWithDevice { (admin, device) async throws in
            var digests: [String] = []
            for title in ["one", "two", "three"] {
                let set = try await admin.send(
                    "PUT", "/apps/a.b/configurations/main", body: AdminClient.configuration(title: title))
                #expect(set.status < 300, "\(set.text)")
                digests.append(try AdminJSON.decode(ConfigurationAnswer.self, from: set.body).sha256)
            }
            let lives = digests.enumerated().map { number, digest in
                (life: "v\(number + 1)", dictionary: digest, numbers: ["failureCount": Int64(10) << number])
            }
            #expect(try await device.ask(.status, Self.report(of: lives)).status == 200)
            let page: Page<AppFeedback> = try await admin.get("/apps/a.b/feedback")
            #expect(page.items.map(\.configurationVersion) == [3, 2, 1, nil, nil])
            #expect(page.items.map(\.configurationName) == ["main", "main", "main", nil, nil])
            let place = "/apps/a.b/feedback/summary?key=failureCount&above=0&sinceVersion="
            for query in ["2", "2&configurationName=main"] {
                let summary: FeedbackSummary = try await admin.get(place + query)
                #expect(summary.totals.map(\.sum).reduce(0, +) == 60 && summary.devices?.map(\.sum) == [60])
                #expect(summary.sinceVersion == 2 && summary.configurationName == "main")
                #expect(summary.unknownVersions == 2)
            }
            let none: FeedbackSummary = try await admin.get(place + "4")
            #expect(none.totals.isEmpty && none.devices?.isEmpty == true && none.unknownVersions == 2)
            let all: FeedbackSummary = try await admin.get("/apps/a.b/feedback/summary?key=failureCount")
            #expect(all.devices?.map(\.sum) == [77] && all.sinceVersion == nil && all.unknownVersions == nil)
        }
    }

    /// An app with several configurations has several versions of one number: the refusal lists their names.
    @Test func aVersionIsOfOneConfiguration() async throws {
        try await walk { admin in
            let place = "/apps/a.b/feedback/summary?sinceVersion="
            let early = try await admin.send("GET", place + "1")
            #expect(early.status == 422 && early.text.contains("no configuration"))
            for name in ["main", "pilot"] {
                let set = try await admin.send(
                    "PUT", "/apps/a.b/configurations/\(name)", body: AdminClient.configuration(title: name))
                #expect(set.status < 300, "\(set.text)")
            }
            let ambiguous = try await admin.send("GET", place + "1")
            #expect(ambiguous.status == 422 && ambiguous.text.contains("main, pilot"))
            let named: FeedbackSummary = try await admin.get(place + "1&configurationName=pilot")
            #expect(named.configurationName == "pilot" && named.totals.isEmpty)
            let unknown = try await admin.send("GET", place + "1&configurationName=else")
            #expect(unknown.status == 404)
            for query in ["0", "two", ""] {
                let refused = try await admin.send("GET", place + query)
                #expect(refused.status == 400)
            }
            let alone = try await admin.send("GET", "/apps/a.b/feedback/summary?configurationName=main")
            #expect(alone.status == 400)
        }
    }

    @Test(arguments: [("", 400), ("?key=a&interval=week", 400), ("?key=a&since=never", 400)])
    func aTrendNamesANumberAndAnInterval(query: String, status: Int) async throws {
        try await walk { admin in
            let asked = try await admin.send("GET", "/apps/a.b/feedback/trend\(query)").status
            #expect(asked == status)
            let unknown = try await admin.send("GET", "/apps/no.app/feedback/trend?key=a").status
            #expect(unknown == 404)
        }
    }
}
