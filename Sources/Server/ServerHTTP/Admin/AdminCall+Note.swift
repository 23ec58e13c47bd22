import HTTPTypes
import Hummingbird
import Logging
import Management

extension AdminCall {
    /// Says in the log who changed what: the line of each request names its route alone, and of a `PUT` it is for
    /// debugging.
    ///
    /// The subject is what the path names, as the audit log calls it; what is made by a `POST` has its name in the audit log.
    func noteChange(answeredBy response: Response) {
        guard !route.changesNothing, query("dryRun") != "true", response.status.kind == .successful else { return }
        var metadata: Logger.Metadata = [
            "operation": "\(route.operation)", "administrator": "\(session.administrator)",
        ]
        let names = route.parameters.compactMap { try? parameter($0) }
        if !names.isEmpty { metadata["subject"] = "\(Self.line(names.joined(separator: "/")))" }
        context.logger.info("change", metadata: metadata)
    }

    /// One line: a name in a path may have any character.
    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(512).map { scalar -> Unicode.Scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "?"
                    default: scalar
                    }
                }))
    }
}
