import AdminMessages

/// A person as people read it.
enum PersonText {
    static func text(_ person: Person) -> String {
        let details = person.details
        var facts = Facts()
        facts.add("person", person.userName)
        facts.add("full name", details.fullName)
        facts.add("first name", details.firstName)
        facts.add("last name", details.lastName)
        facts.add("email", details.email)
        facts.add("department", details.department)
        facts.add("principal name", details.principalName)
        facts.add("account name", details.accountName)
        facts.add("distinguished name", details.distinguishedName)
        facts.add("locale", details.locale)
        facts.add("modified", person.modified.shown)
        if let devices = person.devices {
            facts.add("devices", devices.isEmpty ? "none" : devices.joined(separator: ", "))
        }
        return facts.text
    }
}
