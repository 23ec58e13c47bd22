import ManagedAppSpecification

extension LandmarksManagedConfig {
    /// What administrators need to know; `specification.json` is made of it, and a test fails when the two differ.
    static var specification: PublishedSpecification {
        get throws {
            try PublishedSpecification(
                LandmarksManagedConfig.self, app: "com.example.landmarks", version: "1.0", title: "Landmarks",
                description: """
                    Lists landmarks. An administrator can show a collection of them above all others, and say where \
                    more can be downloaded.
                    """,
                platforms: ["linux": nil],
                secrets: [
                    .identity(
                        LandmarkDownload.identity,
                        purpose: "To prove itself to the server at assetURL. Without it nothing is sent there.")
                ],
                errors: [
                    .code(
                        100, name: "unknownLandmark",
                        meaning: "A number in managedCollection.landmarks is not one of the app's landmarks.",
                        remedy: "Use the numbers 1001 to 1012; the app lists them."),
                    .code(
                        101, name: "invalidAssetURL", meaning: "assetURL is not an https URL.",
                        remedy: "Write the whole URL, beginning with https://."),
                    .code(
                        102, name: "invalidAssetCertificate",
                        meaning: "assetCertificate is not one certificate in DER.",
                        remedy: "Convert it: openssl x509 -in authority.pem -outform DER -out authority.der."),
                ],
                samples: [
                    PublishedSample("A collection with two landmarks", json: LandmarksDemo.sample)
                ])
        }
    }
}
