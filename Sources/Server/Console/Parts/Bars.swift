/// Numbers beside one another, each with a bar that only repeats it, so that a screen reader misses nothing.
struct Bars {
    struct Bar {
        let label: HTML
        let number: Int
        var tone = Badge.Tone.busy
    }

    let caption: String
    /// What the labels name, and what is counted.
    let of: String
    let counted: String
    let bars: [Bar]

    var html: HTML {
        let most = max(bars.map(\.number).max() ?? 0, 1)
        return Table(
            caption: caption, columns: [of, counted],
            rows: bars.map { bar in
                // Whole thousandths, and never nothing where there is something.
                let width = bar.number == 0 ? 0 : max(bar.number * 1_000 / most, 8)
                return [
                    bar.label,
                    """
                    <span class="bar"><span class="number">\(bar.number)</span>\
                    <svg class="\(bar.tone.rawValue)" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" \
                    focusable="false"><rect width="\(width)" height="10" rx="2"/></svg></span>
                    """,
                ]
            }
        ).html
    }
}
