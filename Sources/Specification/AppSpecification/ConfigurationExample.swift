package import InputBounds

extension AppSpecification {
    /// A configuration to begin with: the first sample, or what the keys' defaults, examples and bounds come to.
    ///
    /// What is made of the keys follows the rules between them, too, as far as that can be made up.
    package func example() -> PropertyListValue {
        if let sample = samples.first, let list = try? configuration.propertyList(sample.configuration) { return list }
        var maker = ExampleMaker(size: 1_000_000)
        var fitting = ExampleFitting(maker.value(of: configuration), of: configuration)
        fitting.fit(schema)
        return fitting.example
    }
}

extension SpecifiedKey {
    /// A value that the key allows, as far as that can be made up.
    package var example: PropertyListValue {
        var maker = ExampleMaker(size: 100_000)
        return maker.value(of: self)
    }
}
