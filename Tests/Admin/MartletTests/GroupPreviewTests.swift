import AdminMessages
import Testing

/// The parts of a preview, asked for one after the other.
@Suite struct GroupPreviewTests {
    /// Devices 0 to 9 in parts of three; those with an even number would be in, and the first two of them are.
    private static func part(of request: GroupPreviewRequest) -> GroupPreview {
        let begin = request.cursor.flatMap { Int($0) } ?? 0
        let judged = Array(begin..<min(10, begin + 3))
        func part(_ numbers: [Int]) -> GroupPreview.Part {
            .init(count: numbers.count, devices: numbers.prefix(request.limit ?? 25).map { .init(id: "\($0)") })
        }
        let members = judged.filter { $0.isMultiple(of: 2) }
        return GroupPreview(
            rule: "r", members: part(members), joining: part(members.filter { $0 > 2 }), leaving: part([]),
            judged: judged.count, next: begin + 3 < 10 ? "\(begin + 3)" : nil)
    }

    @Test func partsAreOnePreviewOfTheWholeFleet() async throws {
        var cursors: [String?] = []
        let whole = try await GroupPreview.whole(of: GroupPreviewRequest(rule: "r", limit: 2)) { request in
            cursors.append(request.cursor)
            return Self.part(of: request)
        }
        #expect(cursors == [nil, "3", "6", "9"])
        #expect(whole.judged == 10 && whole.next == nil)
        #expect(whole.members.count == 5 && whole.members.devices.map(\.id) == ["0", "2"])
        #expect(whole.joining.count == 3 && whole.joining.devices.map(\.id) == ["4", "6"])
        #expect(whole.leaving.count == 0)
    }

    @Test func whereEnoughWereJudgedItSaysThatThereAreMore() async throws {
        let first = try await GroupPreview.whole(of: GroupPreviewRequest(rule: "r"), upTo: 5) { Self.part(of: $0) }
        #expect(first.judged == 6 && first.next == "6" && first.members.count == 3)
    }
}
