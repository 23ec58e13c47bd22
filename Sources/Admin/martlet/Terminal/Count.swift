/// A number of things as people read it, such as `1 device` and `2 devices`.
package enum Count {
    package static func text(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }
}
