/// Why there is no room for a package, in bytes.
package enum PackageRoom: Equatable, Sendable, CustomStringConvertible {
    /// The disk has too little free; `reserve` stays free for the database.
    case disk(needed: Int, free: Int, reserve: Int)
    /// Packages take as much as they may.
    case kept(needed: Int, kept: Int, limit: Int)
    /// The disk was full before the piece was written.
    case full
    /// The system does not say how much is free.
    case unknown

    /// For everybody who uploads packages: it says nothing of what the server's disk has.
    package var description: String {
        switch self {
        case .disk(let needed, _, _): "it needs \(needed) bytes more"
        case .kept(let needed, _, _): "it needs \(needed) bytes more; remove packages that no source names"
        case .full: "the disk of the packages is full"
        case .unknown: "the system does not say how much is free on the disk of the packages"
        }
    }

    /// For operators: what is free or taken, and what must stay free.
    package var detail: String? {
        switch self {
        case .disk(_, let free, let reserve):
            """
            \(free) bytes are free on the disk of the packages, and \(reserve) have to stay free for the database.
            """
        case .kept(_, let kept, let limit):
            "Packages and unfinished uploads have \(kept) of the \(limit) bytes that they may take."
        case .full, .unknown: nil
        }
    }
}
