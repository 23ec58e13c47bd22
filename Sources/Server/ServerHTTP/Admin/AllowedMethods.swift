import HTTPTypes

/// The methods of each path of the API, for the answer to a request with another method.
struct AllowedMethods: Sendable {
    private struct Place: Sendable {
        /// The parts of the path; nothing stands for a parameter.
        let parts: [Substring?]
        let methods: String

        func fits(_ path: [Substring]) -> Bool {
            parts.count == path.count && zip(parts, path).allSatisfy { $0 == nil || $0 == $1 }
        }
    }

    /// What is spelled out comes before what takes any text, as in the router.
    private let places: [Place]

    init(_ routes: [AdminRoute]) {
        places = Dictionary(grouping: routes, by: \.path).map { path, routes in
            Place(
                parts: path.split(separator: "/").map { $0.hasPrefix("{") ? nil : $0 },
                methods: routes.map(\.method.rawValue).sorted().joined(separator: ", "))
        }.sorted { first, second in
            first.parts.count(where: { $0 == nil }) < second.parts.count(where: { $0 == nil })
        }
    }

    /// 405 where the path is one of the API's, 404 where it is not.
    func problem(for path: some StringProtocol) -> HTTPProblem {
        let path = path.dropFirst(AdminAPI.prefix.count).split(separator: "/").map { Substring($0) }
        guard let place = places.first(where: { $0.fits(path) }) else { return .notFound }
        return HTTPProblem(
            .methodNotAllowed, "method-not-allowed", "This is not what can be done here",
            detail: "Allowed are: \(place.methods).", headers: [.allow: place.methods])
    }
}
