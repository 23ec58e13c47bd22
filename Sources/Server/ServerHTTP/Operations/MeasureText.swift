/// Measurements in Prometheus' text format, version 0.0.4.
struct MeasureText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private(set) var text = ""

    /// One measurement without labels.
    mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: some Numeric) {
        begin(kind, name, help)
        text += "\(name) \(value)\n"
    }

    /// One measurement for each value of a label.
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, by labels: [(labels: [(String, String)], value: Int)]
    ) {
        begin(kind, name, help)
        for (labels, value) in labels { text += "\(name)\(Self.text(of: labels)) \(value)\n" }
    }

    /// One measurement for each set of label values; the values come from outside this program.
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, named: [(labels: [(String, String)], value: Double)]
    ) {
        begin(kind, name, help)
        for (labels, value) in named {
            let quoted = labels.map { ($0.0, Self.escaped($0.1)) }
            text += "\(name)\(Self.text(of: quoted)) \(value)\n"
        }
    }

    mutating func add(_ name: String, _ help: String, _ histograms: [(area: String, histogram: Histogram)]) {
        begin(.histogram, name, help)
        for (area, histogram) in histograms {
            let cumulative = histogram.cumulative
            let bounds = Histogram.bounds.map { "\($0)" } + ["+Inf"]
            for (bound, count) in zip(bounds, cumulative) {
                text += "\(name)_bucket\(Self.text(of: [("area", area), ("le", bound)])) \(count)\n"
            }
            let label = Self.text(of: [("area", area)])
            text += "\(name)_sum\(label) \(histogram.seconds)\n"
            text += "\(name)_count\(label) \(cumulative.last ?? 0)\n"
        }
    }

    private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Each value is a word of this program, or is escaped.
    private static func text(of labels: [(String, String)]) -> String {
        "{" + labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",") + "}"
    }
}
