import CertificateAuthority

extension IdentityProfile {
    /// What this server's authority certifies for a device by a recipe; nothing where a variable has no value for it.
    init?(_ recipe: SCEPRecipe, for variables: DeviceVariables) {
        self.init(
            recipe.subject, recipe.subjectAltNames, key: .rsa(bits: recipe.keySize), usage: recipe.keyUsage,
            for: variables)
    }

    init?(_ recipe: ACMERecipe, for variables: DeviceVariables) {
        let key: Key = recipe.keyType == .rsa ? .rsa(bits: recipe.keySize) : .ec(bits: recipe.keySize)
        self.init(recipe.subject, recipe.subjectAltNames, key: key, usage: recipe.usageFlags ?? 5, for: variables)
        purposes = recipe.extendedKeyUsage
    }

    private init?(
        _ subject: [SubjectAttribute], _ names: SubjectAltNames?, key: Key, usage: Int,
        for variables: DeviceVariables
    ) {
        var attributes: [Attribute] = []
        for attribute in subject {
            guard let value = variables.filled(attribute.value) else { return nil }
            attributes.append(Attribute(attribute.type, value))
        }
        var filled = Names()
        for (place, template) in [
            (\Names.email, names?.rfc822Name), (\.dns, names?.dNSName), (\.uri, names?.uniformResourceIdentifier),
            (\.principal, names?.ntPrincipalName),
        ] {
            guard let template else { continue }
            guard let value = variables.filled(template) else { return nil }
            filled[keyPath: place] = value
        }
        self.init(
            subject: attributes, names: filled, key: key, signs: usage & 1 != 0, enciphers: usage & 4 != 0)
    }
}
