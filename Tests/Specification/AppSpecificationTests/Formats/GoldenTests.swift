import AppSpecification
import Foundation
import Testing

/// Each file is named after what is wrong or remarkable about it.
struct GoldenTests {
    private static let read: [(SpecificationFormat, String)] = SpecificationFormat.allCases.flatMap { format in
        Golden.inputs(format.rawValue).map { (format, $0) }
    }

    @Test(arguments: read)
    func whatIsPublishedIsReadAsFarAsItCanBeUnderstood(format: SpecificationFormat, path: String) throws {
        let identifier =
            format == .android || path.contains("identifier-missing") || path.contains("no-domain")
            ? "com.example.given" : nil
        let data = try Golden.data(path)
        #expect(SpecificationFormat.detected(in: data) == format)
        let found = Golden.text(try SpecificationFormat.read(data, bundleIdentifier: identifier))
        #expect(found == (try Golden.expected(path + ".expected", found)))
    }

    @Test func thereIsAFileForEachTrap() { #expect(Self.read.count >= 46) }

    @Test(arguments: [SpecificationFormat.appConfigXML, .profileManifest, .android, .jamf])
    func oneSpecificationIsWrittenInEveryFormat(format: SpecificationFormat) throws {
        let specification = try AppSpecification(parsing: Golden.data("written/everything.json"))
        let written = try SpecificationFormat.write(specification, as: format)
        let text = String(decoding: written.value, as: UTF8.self)
        let path = "written/everything.\(format.rawValue)"
        #expect(text == (try Golden.expected(path, text)))
        let notes = written.notes.map { "\($0)\n" }.joined()
        #expect(notes == (try Golden.expected(path + ".notes", notes)))
    }
}
