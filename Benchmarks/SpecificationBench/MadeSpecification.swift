package import InputBounds

/// A specification of two hundred keys, as a large app might publish it.
enum MadeSpecification {
    /// 181 at the top, mixed; a server's twelve and a rule's four lie in lists of dictionaries.
    static let document: JSONValue = {
        var keys: [String: JSONValue] = ["servers": servers, "groups": groups]
        for number in 0..<179 { keys[name(number)] = key(number) }
        return [
            "x-app": ["bundleIdentifier": "com.example.large", "version": "4.2"], "type": "object",
            "required": ["servers", .string(name(0))], "properties": .object(keys),
        ]
    }()

    static func name(_ number: Int) -> String { words[number % words.count] + "\(number)" }

    private static let words = [
        "sync", "accountName", "showsTips", "cacheMegabytes", "startOf", "logo", "roles", "mode",
    ]

    private static func key(_ number: Int) -> JSONValue {
        switch number % 8 {
        case 0: ["type": "string", "maxLength": 200, "pattern": #"^https://[^\s/?#]+(?::\d{1,5})?(?:/\S*)?$"#]
        case 1: ["type": "string", "minLength": 1, "maxLength": 100]
        case 2: ["type": "boolean"]
        case 3: ["type": "integer", "minimum": 1, "maximum": 4_096]
        case 4: ["type": "string", "format": "date-time", "x-minimum": "2020-01-01T00:00:00Z"]
        case 5: ["type": "string", "contentEncoding": "base64", "x-maxBytes": 4_096]
        case 6: ["type": "array", "maxItems": 20, "items": ["type": "string", "enum": ["staff", "lead", "guest"]]]
        default: ["type": "number", "minimum": 0, "exclusiveMaximum": 1]
        }
    }

    private static let servers: JSONValue = [
        "type": "array", "minItems": 1,
        "items": [
            "type": "object", "required": ["host", "port"],
            "properties": [
                "host": ["type": "string", "minLength": 1, "maxLength": 253, "pattern": #"^[A-Za-z0-9.-]+$"#],
                "port": ["type": "integer", "minimum": 1, "maximum": 65_535],
                "scheme": ["type": "string", "enum": ["https", "wss", "smtps", "imaps"]],
                "isPrimary": ["type": "boolean"], "weight": ["type": "number", "minimum": 0, "maximum": 1],
                "title": ["type": "string", "maxLength": 120], "note": ["type": "string", "maxLength": 2_000],
                "since": ["type": "string", "format": "date-time"],
                "pin": ["type": "string", "contentEncoding": "base64", "x-maxBytes": 64],
                "paths": ["type": "array", "items": ["type": "string", "pattern": "^/"]],
                "region": ["type": "string", "pattern": "^[a-z]{2}-[a-z]+-\\d$"], "retries": ["type": "integer"],
            ],
        ],
    ]

    private static let groups: JSONValue = [
        "type": "array",
        "items": [
            "type": "object",
            "properties": [
                "name": ["type": "string", "minLength": 1],
                "rules": [
                    "type": "array",
                    "items": [
                        "type": "object", "required": ["action"],
                        "properties": [
                            "action": ["type": "string", "enum": ["allow", "deny", "ask"]],
                            "match": ["type": "string", "maxLength": 500], "priority": ["type": "integer"],
                            "isActive": ["type": "boolean"],
                        ],
                    ],
                ],
            ],
        ],
    ]
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}
