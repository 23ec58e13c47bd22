import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A stored property of a configuration, as it is written.
struct ConfiguredProperty {
    let name: String
    /// The type without the question mark, if it has one.
    let type: String
    let isOptional: Bool
    /// What stands behind `=`, or in `@Key(default:)`.
    let defaultValue: String?
    /// The arguments of `@Key` but for `default`, as they are written.
    let annotation: String
    /// What its documentation says.
    let documentation: String?

    /// Reads a member; nil if it is no stored property of a value.
    init?(_ member: DeclSyntax, in context: some MacroExpansionContext) {
        guard let variable = member.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
            !variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }),
            binding.accessorBlock.map(Self.onlyObserves) ?? true
        else { return nil }
        guard variable.bindings.count == 1, let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            context.complain(variable, "one property a line, so that each can be documented")
            return nil
        }
        guard let annotated = binding.typeAnnotation?.type else {
            context.complain(binding, "say the type: what an administrator may write depends on it")
            return nil
        }
        let key = variable.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { $0.attributeName.trimmedDescription == "Key" }
        let arguments = key?.arguments?.as(LabeledExprListSyntax.self).map(Array.init) ?? []
        let given = arguments.first { $0.label?.text == "default" }?.expression
        let initial = binding.initializer?.value
        if variable.bindingSpecifier.text == "let", let initial {
            context.complain(
                initial, "a 'let' with a value cannot be configured: write @Key(default: \(initial.trimmedDescription))"
            )
            return nil
        }
        name = pattern.identifier.text
        if let wrapped = annotated.as(OptionalTypeSyntax.self) {
            (type, isOptional) = (wrapped.wrappedType.trimmedDescription, true)
        } else {
            (type, isOptional) = (annotated.trimmedDescription, false)
        }
        defaultValue = (given ?? initial)?.trimmedDescription
        if isOptional, let value = defaultValue, value != "nil" {
            context.complain(variable, "an optional property has no default: either nothing may stand there or this")
            return nil
        }
        annotation = arguments.filter { $0.label?.text != "default" }
            .map { $0.with(\.trailingComma, nil).trimmedDescription }.joined(separator: ", ")
        documentation = Self.documentation(of: variable)
    }

    /// `didSet` and `willSet` watch a stored property; everything else computes one.
    private static func onlyObserves(_ block: AccessorBlockSyntax) -> Bool {
        guard case .accessors(let accessors) = block.accessors else { return false }
        return accessors.allSatisfy { ["didSet", "willSet"].contains($0.accessorSpecifier.text) }
    }

    /// Lines that begin with `///`, joined.
    private static func documentation(of variable: VariableDeclSyntax) -> String? {
        let lines = variable.leadingTrivia.compactMap { piece -> String? in
            guard case .docLineComment(let text) = piece else { return nil }
            return text.dropFirst(3).trimmed
        }
        let text = lines.filter { !$0.isEmpty }.joined(separator: " ").trimmed
        return text.isEmpty ? nil : text
    }

    /// The property's own name stands for the key if `@Key` says no other.
    var describedKey: String {
        var parts = ["\(name.literal)", "\(type).self"]
        if isOptional { parts.append("isOptional: true") }
        if let defaultValue, !isOptional { parts.append("default: \(defaultValue)") }
        if let documentation { parts.append("documentation: \(documentation.literal)") }
        if !annotation.isEmpty { parts.append("KeyAnnotation(\(annotation))") }
        return "SpecifiedProperty(\(parts.joined(separator: ", ")))"
    }
}

extension StringProtocol {
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// As a literal of Swift.
    var literal: String { StringLiteralExprSyntax(content: String(self)).description }
}

extension MacroExpansionContext {
    func complain(_ node: some SyntaxProtocol, _ message: String) {
        diagnose(Diagnostic(node: node, message: Complaint(message: message)))
    }
}

struct Complaint: DiagnosticMessage {
    let message: String

    var diagnosticID: MessageID { MessageID(domain: "ManagedConfiguration", id: message) }
    var severity: DiagnosticSeverity { .error }
}
