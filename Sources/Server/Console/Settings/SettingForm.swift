import AdminMessages
import Foundation
import InputBounds

/// The field in which a setting's payload is written: a payload that is one text as that text, every other one as JSON.
struct SettingForm {
    private static let field = "text"
    private static let certificate = "certificate"

    let kind: String
    /// The payload's one member, where it is one text and nothing else.
    private let member: String?

    /// The form for a payload of `kind`, which is one of `kinds`.
    init(kind: String, of kinds: [SettingKind] = []) {
        self.kind = kind
        member = kind == "root-certificate" ? Self.certificate : kinds.first { $0.name == kind }?.textMember
    }

    /// Whether the payload is one certificate and nothing else.
    private var isCertificate: Bool { kind == "root-certificate" }

    var labels: [(name: String, label: String)] { [(Self.field, label)] }

    private var label: String {
        if isCertificate { return "Certificate" }
        return member == nil ? "Payload" : "Text"
    }

    private var hint: String {
        if isCertificate { return "One certificate of an authority in PEM, with the lines that begin with -----." }
        return member == nil ? "JSON, as the kind’s schema says." : "The text itself, as devices get it."
    }

    /// What the field holds for a payload.
    func values(of payload: JSON?) -> [String: String] { [Self.field: text(of: payload)] }

    /// A payload as people read it.
    func text(of payload: JSON?) -> String {
        guard let payload else { return "" }
        if let member, let text = payload[member]?.text { return text }
        return (try? AdminJSON.encodePretty(payload)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The field, with why what stands in it is not taken.
    func field(_ edit: FormEdit, problem: String?) -> HTML {
        Field(Self.field, label, value: edit[Self.field], hint: hint, problem: problem, isRequired: true).area(rows: 16)
    }

    /// What there is to say of a value, marked as in the review of a configuration.
    static func notes(_ warnings: [String]?) -> HTML? {
        guard let warnings, !warnings.isEmpty else { return nil }
        let items: [HTML] = warnings.map { "<li>\(Badge(.warn, "Note").html) \($0)</li>" }
        return "<ul class=\"list\">\(items)</ul>"
    }

    /// What the field means; whether it fits the kind is the API's to say.
    func payload(_ edit: FormEdit) -> Result<JSON, SettingTextRefusal> {
        let text = edit[Self.field]
        if let member { return .success(.object([member: .string(text)])) }
        do {
            let bytes = Data(text.utf8)
            // Bounded here, with the place of what is wrong.
            _ = try JSONValue(parsing: bytes, limits: .adminBody)
            return .success(try AdminJSON.decode(JSON.self, from: bytes))
        } catch let refusal as InputRefusal {
            return .failure(SettingTextRefusal(message: refusal.sentence))
        } catch {
            return .failure(SettingTextRefusal(message: "This is no JSON."))
        }
    }
}

/// Why a text is no payload.
struct SettingTextRefusal: Error, Hashable, Sendable {
    let message: String
}

extension AdminRefused {
    /// The hint at a field.
    var words: String {
        let findings = (problem.findings ?? []).map(\.sentence)
        return ([problem.title, problem.detail].compactMap { $0 } + findings).joined(separator: " ")
    }
}
