import AdminMessages
import Foundation

/// How the versions of a configuration came to devices: a picture, and a table that says the same.
enum AdoptionPart {
    /// Days that the table names beside now; what the picture shows in between is its own.
    private static let days = [1, 7, 30]
    private static let (width, height) = (1_000, 200)

    static func html(_ adoption: ConfigurationAdoption, now: Date) -> HTML {
        guard !adoption.versions.isEmpty else {
            return "<p>No device has said yet that it has one of its versions.</p>"
        }
        return "\(adoption.byHolder.map { part($0.adoption, of: $0.extension, now) })"
    }

    /// A picture and a table for the app itself, and for each of its extensions that has it.
    private static func part(_ adoption: ConfigurationAdoption, of extensionName: String?, _ now: Date) -> HTML {
        let heading: HTML = extensionName.map { "<h3>The extension <code>\($0)</code></h3>" } ?? ""
        return "\(heading)\(chart(adoption, now))\(table(adoption, of: extensionName, now))"
    }

    /// On how many devices a version was at a moment.
    static func devices(_ adoption: ConfigurationAdoption, version: Int, at moment: Date) -> Int {
        adoption.points.last { $0.version == version && $0.time <= moment }?.devices ?? 0
    }

    private static func table(_ adoption: ConfigurationAdoption, of extensionName: String?, _ now: Date) -> HTML {
        let moments = days.map { ($0, now.addingTimeInterval(-TimeInterval($0) * 86_400)) }
        return Table(
            caption: extensionName.map { "Devices by version, of the extension \($0)" } ?? "Devices by version",
            columns: ["Version", "Now"] + days.map { $0 == 1 ? "A day ago" : "\($0) days ago" },
            rows: adoption.versions.enumerated().map { index, version in
                let numbers: [HTML] = moments.map { _, moment in
                    "<span class=\"number\">\(devices(adoption, version: version.version, at: moment))</span>"
                }
                return [
                    "\(swatch(index)) Version \(version.version)", "<span class=\"number\">\(version.devices)</span>",
                ]
                    + numbers
            }
        ).html
    }

    /// A line for each version, in steps: a number holds until the next one.
    ///
    /// What it tells stands in the table.
    private static func chart(_ adoption: ConfigurationAdoption, _ now: Date) -> HTML {
        // Where nothing was before, it begins with the first number.
        let begin = max(adoption.since, adoption.points.first?.time ?? adoption.since)
        let span = max(now.timeIntervalSince(begin), 1)
        let most = max((adoption.points.map(\.devices) + adoption.versions.map(\.devices)).max() ?? 0, 1)
        func x(_ moment: Date) -> Int {
            min(max(Int(moment.timeIntervalSince(begin) / span * Double(width)), 0), width)
        }
        func y(_ devices: Int) -> Int { height - devices * height / most }
        let lines: [HTML] = adoption.versions.enumerated().map { index, version in
            var steps = ""
            var present = 0
            for point in adoption.points where point.version == version.version {
                steps += steps.isEmpty ? "M\(x(point.time)) \(y(0))" : ""
                steps += "H\(x(point.time))V\(y(point.devices))"
                present = point.devices
            }
            if steps.isEmpty { steps = "M\(width) \(y(0))" }
            steps += present == version.devices ? "H\(width)" : "H\(width)V\(y(version.devices))"
            return "<path class=\"line-\(index)\" d=\"\(steps)\"/>"
        }
        return """
            <figure class="chart" aria-hidden="true"><div class="scale"><span>\(most)</span><span>0</span></div>
            <svg viewBox="0 0 \(width) \(height)" preserveAspectRatio="none" focusable="false">\
            <path class="grid" d="M0 0H\(width)M0 \(height / 2)H\(width)M0 \(height)H\(width)"/>\(lines)</svg>
            <figcaption><span>\(Moment.distance(begin, now))</span><span>now</span></figcaption></figure>
            """
    }

    /// Which line is a version's.
    private static func swatch(_ index: Int) -> HTML {
        """
        <svg class="swatch" viewBox="0 0 32 8" width="32" height="8" aria-hidden="true" focusable="false">\
        <path class="line-\(index)" d="M0 4H32"/></svg>
        """
    }
}
