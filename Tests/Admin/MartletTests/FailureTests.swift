import AdminMessages
import Testing
import martlet

struct FailureTests {
    @Test(arguments: [
        (400, EndStatus.refused), (401, .notLoggedIn), (403, .refused), (404, .notFound), (409, .refused),
        (412, .refused), (413, .refused), (422, .refused), (429, .unreachable), (500, .failed), (503, .unreachable),
    ])
    func everyAnswerHasItsEndStatus(status: Int, expected: EndStatus) {
        #expect(Failure(problem: nil, status: status).status == expected)
    }

    @Test func theEndStatusesAreThoseScriptsRelyOn() {
        let numbers: [EndStatus: Int32] = [.failed: 1, .notFound: 3, .refused: 4, .notLoggedIn: 5, .unreachable: 6]
        for (status, number) in numbers { #expect(status.rawValue == number) }
    }

    @Test func saysTheServersReasonAndWhatToDo() {
        let failure = Failure(problem: Problem(title: "There is no such group.", status: 404), status: 404)
        #expect(failure.text == "martlet: There is no such group.\nThe list commands show what there is.")
    }

    @Test func joinsTitleAndDetail() {
        let problem = Problem(title: "Refused", status: 409, detail: "It is still used by an assignment.")
        #expect(Failure(problem: problem, status: 409).text == "martlet: Refused: It is still used by an assignment.")
    }

    @Test func letsNoServerSteerTheTerminal() {
        #expect(!Failure(problem: Problem(title: "\u{1B}[2J", status: 500), status: 500).text.contains("\u{1B}"))
    }
}
