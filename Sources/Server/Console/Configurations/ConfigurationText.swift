import AppSpecification
import Foundation
import InputBounds
import JSONSchema

/// A configuration as text that people edit: a property list in XML, or JSON.
enum ConfigurationText: String, Sendable, CaseIterable {
    case xml, json

    /// The text; nothing where this form has none that would mean the same when it is read.
    func text(of value: PropertyListValue, as key: SpecifiedKey) -> String? {
        let text: String
        switch self {
        case .xml: text = String(decoding: value.xml(), as: UTF8.self)
        case .json: text = JSONValue(describing: value).pretty() + "\n"
        }
        guard case .success(value) = self.value(of: text, as: key) else { return nil }
        return text
    }

    /// What the text means; dates and data of JSON where the specification says that a key holds them.
    func value(of text: String, as key: SpecifiedKey) -> Result<PropertyListValue, ConfigurationTextRefusal> {
        do {
            let data = Data(text.utf8)
            let value: PropertyListValue
            switch self {
            case .xml: value = try PropertyListValue(parsing: data, limits: .configuration)
            case .json: value = try key.propertyList(try JSONValue(parsing: data, limits: .configuration))
            }
            guard value.dictionary != nil else {
                return .failure(ConfigurationTextRefusal(message: "A configuration is a dictionary"))
            }
            return .success(value)
        } catch let refusal as InputRefusal {
            return .failure(ConfigurationTextRefusal(message: refusal.sentence))
        } catch let refusal as ValueRefusal {
            return .failure(ConfigurationTextRefusal(message: "\(refusal.path): \(refusal.rule)"))
        } catch {
            return .failure(ConfigurationTextRefusal(message: "This cannot be read"))
        }
    }
}

/// Why a text is no configuration.
struct ConfigurationTextRefusal: Error, Hashable, Sendable {
    let message: String
}
