import AdminMessages
import Foundation
import InputBounds

/// The field in which a setting's payload is written: a certificate as its text, everything else as JSON.
struct SettingForm {
    private static let field = "text"
    private static let certificate = "certificate"

    let kind: String

    /// Whether the payload is one certificate and nothing else.
    private var isCertificate: Bool { kind == "root-certificate" }

    var labels: [(name: String, label: String)] { [(Self.field, isCertificate ? "Certificate" : "Payload")] }

    /// What the field holds for a payload.
    func values(of payload: JSON?) -> [String: String] { [Self.field: text(of: payload)] }

    /// A payload as people read it.
    func text(of payload: JSON?) -> String {
        guard let payload else { return "" }
        if isCertificate, let text = payload[Self.certificate]?.text { return text }
        return (try? AdminJSON.encodePretty(payload)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The field, with why what stands in it is not taken.
    func field(_ edit: FormEdit, problem: String?) -> HTML {
        Field(
            Self.field, isCertificate ? "Certificate" : "Payload", value: edit[Self.field],
            hint: isCertificate
                ? "One certificate of an authority in PEM, with the lines that begin with -----."
                : "JSON, as the kind’s schema says.",
            problem: problem, isRequired: true
        ).area(rows: 16)
    }

    /// What the field means; whether it fits the kind is the API's to say.
    func payload(_ edit: FormEdit) -> Result<JSON, SettingTextRefusal> {
        let text = edit[Self.field]
        guard !isCertificate else { return .success(.object([Self.certificate: .string(text)])) }
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
