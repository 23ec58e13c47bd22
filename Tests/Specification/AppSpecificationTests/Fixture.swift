import AppSpecification
import Foundation
import InputBounds
import JSONSchema

enum Fixture {
    /// A specification with a bit of everything.
    static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Field Notes", "description": "Notes that teams take outdoors.",
          "type": "object",
          "x-app": {"bundleIdentifier": "com.example.fieldnotes", "version": "3.1",
                    "platforms": {"linux": {}, "iOS": {"minimumVersion": "18.0"}}},
          "required": ["serverURL"],
          "properties": {
            "serverURL": {"type": "string", "description": "Where notes are kept.", "pattern": "^https://.+$",
                          "maxLength": 200, "examples": ["https://notes.example.com"], "x-order": 1},
            "syncMinutes": {"type": "integer", "description": "How often.", "minimum": 5, "maximum": 120, "default": 15},
            "role": {"type": "string", "description": "What people may do.", "enum": ["staff", "lead"],
                     "x-enum-titles": ["Staff", "Team lead"], "default": "staff", "title": "Role",
                     "x-i18n": {"de": {"title": "Rolle"}}},
            "expires": {"type": "string", "format": "date-time", "description": "When notes end.",
                        "x-minimum": "2026-01-01T00:00:00Z"},
            "logo": {"type": "string", "contentEncoding": "base64", "description": "A picture.", "x-maxBytes": 4096},
            "syncSeconds": {"type": "integer", "description": "Old.", "minimum": 1, "maximum": 7200, "deprecated": true,
                            "x-deprecated": {"since": "2.0", "until": "4.0", "replacedBy": "syncMinutes"}},
            "teams": {"type": "array", "description": "Who shares.", "maxItems": 3, "items": {
              "type": "object", "required": ["name"], "properties": {
                "name": {"type": "string", "description": "The team's name.", "minLength": 1},
                "members": {"type": "array", "description": "Who is in.", "items": {"$ref": "#/$defs/person"}}}}}
          },
          "$defs": {"person": {"type": "string", "description": "A person's short name.", "pattern": "^[a-z]+$"}},
          "x-secrets": [{"kind": "password", "identifier": "account", "purpose": "Signing in.", "required": true},
                        {"kind": "certificate", "prefix": "authority.", "purpose": "Servers to trust."}],
          "x-errors": [{"code": 100, "name": "badServer", "meaning": "The server's address is not https.",
                        "remedy": "Correct serverURL."}],
          "x-extensions": {"com.example.fieldnotes.widget": {"description": "Shows notes.", "type": "object",
            "properties": {"count": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9}}}},
          "x-samples": [{"title": "A school", "configuration": {
            "serverURL": "https://notes.example.com", "expires": "2027-01-01T00:00:00Z", "logo": "AQID",
            "teams": [{"name": "Year 7", "members": ["ana"]}]}}],
          "x-unknown": {"kept": true}
        }
        """#

    static func specification(_ text: String = text) throws -> AppSpecification {
        try AppSpecification(parsing: Data(text.utf8))
    }

    /// A specification whose configuration has these keys, and nothing else that matters.
    static func specification(keys: String, more: String = "") throws -> AppSpecification {
        try specification(
            #"{"x-app": {"bundleIdentifier": "com.example.a"}, "type": "object", "properties": {\#(keys)}\#(more)}"#)
    }
}
