import Testing

@testable import ServerHTTP

/// What a condition names, as RFC 9110 §8.8.3 and §13.1 have it.
struct EntityTagTests {
    private let tag = EntityTag("a")

    @Test(arguments: [
        "*", " * ", "\"a\"", "\"b\", \"a\"", "\"b\",\"a\" ", " ,\t\"a\" , ", "W/\"b\",\"a\"", "\"b,*,c\", \"a\"",
    ])
    func whatIsAmongThemIsNamed(header: String) {
        #expect(tag.isNamed(byIfMatch: header) && tag.isNamed(byIfNoneMatch: header))
    }

    @Test(arguments: ["W/\"a\"", "\"b\", W/\"a\""])
    func aWeakOneNamesForWhoAsksAndNotForWhoChanges(header: String) {
        #expect(!tag.isNamed(byIfMatch: header) && tag.isNamed(byIfNoneMatch: header))
    }

    /// What is none of it, or no list at all, names nothing: a change under it is not made.
    @Test(arguments: [
        "", ",", "a", "\"A\"", "\"b\"", "\"a", "a\"", "\"a\" \"b\"", "\"a\"b", "*, \"a\"", "\"a\", *", "**",
        "\"b,*,c\"",
        "w/\"a\"", "W/ \"a\"", "W/a", "'a'", "\"a\"; q=1", "\"\"",
    ])
    func anythingElseNamesNothing(header: String) {
        #expect(!tag.isNamed(byIfMatch: header) && !tag.isNamed(byIfNoneMatch: header))
    }

    @Test(arguments: [("\"v3\"", 3), (" \"v12\" ", 12)])
    func aVersionIsReadFromOneStrongTag(header: String, version: Int) {
        #expect(EntityTag.version(in: header) == version)
    }

    @Test(arguments: [
        "W/\"v3\"", "\"v03\"", "\"v+3\"", "\"3\"", "\"v\"", "\"v3\", \"v4\"", "*", "v3", "\"x3\"", "\"v-1\"x",
    ])
    func nothingElseIsAVersion(header: String) {
        #expect(EntityTag.version(in: header) == nil)
    }
}
