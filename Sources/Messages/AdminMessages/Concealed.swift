/// A value that holds something secret, and whose descriptions show its type alone.
package protocol Concealed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Concealed {
    package var description: String { "a concealed \(Self.self)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
