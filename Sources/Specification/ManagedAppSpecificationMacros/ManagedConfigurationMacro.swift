package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@ManagedConfiguration`: the decoder of a struct, and what its keys are, out of its properties.
package struct ManagedConfigurationMacro: MemberMacro, ExtensionMacro {
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else {
            context.complain(node, "a configuration is a struct: everything an administrator set, at one moment")
            return []
        }
        let properties = declaration.memberBlock.members.compactMap { ConfiguredProperty($0.decl, in: context) }
        let access = access(of: declaration)
        let described = properties.map { "        " + $0.describedKey + "," }.joined(separator: "\n")
        let read = properties.enumerated().map { index, property in
            "    self.\(property.name) = try reader.\(property.isOptional ? "valueIfPresent" : "value")(\(index))"
        }.joined(separator: "\n")
        let check = properties.isEmpty ? "" : "\n    try reader.check(Self.conditions, in: configuredValue)"
        let values = properties.map { "\($0.name)" }.joined(separator: ", ")
        return [
            """
            \(raw: access)static let specifiedProperties = SpecifiedProperties([
            \(raw: described)
                ])
            """,
            """
            \(raw: access)init(from decoder: any Decoder) throws {
                \(raw: properties.isEmpty ? "_" : "let reader") = try ConfigurationReader(decoder, Self.specifiedProperties)
            \(raw: read)\(raw: check)
                try validate()
            }
            """,
            """
            \(raw: access)var configuredValue: ConfiguredValue {
                Self.specifiedProperties.value(\(raw: values.isEmpty ? "" : "of: " + values))
            }
            """,
        ]
    }

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(StructDeclSyntax.self), !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): SpecifiedConfiguration {}")]
    }

    private static func access(of declaration: some DeclGroupSyntax) -> String {
        let words = declaration.modifiers.map(\.name.text)
        return words.first { ["public", "package"].contains($0) }.map { $0 + " " } ?? ""
    }
}
