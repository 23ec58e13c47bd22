/// The configuration of an app that is between its first version, which only greets, and one that knows roles.
///
/// It insists on the organization's brand, which the first version does not know, and does not know roles.
struct Version2: Decodable {
    struct Brand: Decodable {
        let name: String
    }

    let greeting: String
    let brand: Brand
}
