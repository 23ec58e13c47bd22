import CQRCode

/// A picture that a camera reads as text.
struct QRCode: Sendable, Equatable {
    /// Modules a side.
    let width: Int
    /// Row by row.
    let isDark: [Bool]

    /// Nothing for a text that no such picture holds.
    init?(_ text: String) {
        guard !text.utf8.contains(0), text.utf8.count <= 1_000,
            let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let side = Int(unsafe code.pointee.width)
        guard let modules = unsafe code.pointee.data else { return nil }
        width = side
        // The lowest bit is the module's color; the others tell what it is for.
        isDark = (0..<side * side).map { unsafe modules[$0] & 1 == 1 }
    }

    /// The picture in markup, with its quiet zone; dark on light in every theme, for cameras want it so.
    func svg(named name: String) -> HTML {
        let quiet = 4
        let side = width + 2 * quiet
        var rows: [HTML] = []
        for row in 0..<width {
            var column = 0
            while column < width {
                guard isDark[row * width + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < width, isDark[row * width + column] { column += 1 }
                rows.append("M\(start + quiet) \(row + quiet)h\(column - start)v1h-\(column - start)z")
            }
        }
        return """
            <svg class="qr" role="img" aria-label="\(name)" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path fill="#000" d="\(rows)"/></svg>
            """
    }
}
