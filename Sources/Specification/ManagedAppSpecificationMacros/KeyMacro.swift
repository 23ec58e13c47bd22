package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Key(…)`: makes nothing itself; `@ManagedConfiguration` reads it.
package struct KeyMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}
