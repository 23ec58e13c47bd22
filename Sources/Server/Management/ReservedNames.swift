/// Names that nothing is given: where a thing of that name would be, the API has a path of its own.
///
/// A test walks the table of routes and knows of every such path.
package enum ReservedNames {
    package static let ofGroups = ["preview"]
    package static let ofPeople = ["import"]
    /// By serial number.
    package static let ofExpectedDevices = ["import"]

    /// The rule that a name breaks, without the thing that is called so: “is not “preview”, …”.
    static func rule(brokenBy name: String, _ reserved: [String]) -> String? {
        reserved.contains(name) ? "is not “\(name)”: the API has a path of its own there" : nil
    }
}
