import AdminMessages

/// What can be done with one device, as links to the pages that do it.
enum DeviceActions {
    static func html(_ device: DeviceDetail, _ call: ConsoleCall) -> HTML {
        let path = ["devices", device.id]
        let mayEnd = call.may(.manage) || (call.may(.help) && device.signIn != nil)
        let end: HTML? =
            mayEnd && device.isServed ? Link.html("End its enrollment", path + ["enrollment"]) : nil
        return """
            <p class="row">\(Link.html("Its groups", path + ["groups"])) \(Link.html("Commands", path + ["commands"])) \
            \(end)</p>
            """
    }

    /// The way to a page of one device.
    static func trail(_ device: DeviceDetail) -> [Shell.Step] {
        [Shell.Step("Devices", ["devices"]), Shell.Step(device.name ?? device.id, ["devices", device.id])]
    }
}

extension DeviceDetail {
    /// Whether it is enrolled, or about to be: who has left is in no group and takes no command.
    var isServed: Bool { [.enrolled, .enrolling].contains(state) }
}
