/// Where names are counted in constant memory: each in one cell of each of two rows, so that two names share a count only
/// where both cells coincide.
///
/// The seeds are random for each process.
enum SketchCells {
    private static let width = 4_096
    private static let rows = 2

    /// All cells.
    static var count: Int { width * rows }

    /// The cells of a name.
    static func of(_ name: String) -> (Int, Int) { (cell(of: name, in: 0), cell(of: name, in: 1)) }

    private static func cell(of name: String, in row: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(row)
        hasher.combine(name)
        return row * width + Int(UInt(bitPattern: hasher.finalize()) % UInt(width))
    }
}
