/// A package that was taken, with what became of the specification in it.
package struct AcceptedPackage: Sendable, Equatable {
    package let package: HostedPackage
    /// Nothing where it holds none, or was hosted already.
    package var specification: PackagedSpecification?
}

/// What became of the specification in a package.
package struct PackagedSpecification: Sendable, Equatable {
    /// The version of the app that it is for.
    package let version: String
    package let isTaken: Bool
    /// Why not.
    package var note: String?
    /// Configurations that the version refuses.
    package var warnings: [String] = []
}
