import AdminMessages
import Foundation
import Testing

/// The messages about people and about values of single devices, letter by letter.
struct PersonMessageTests {
    private let moment = Date(timeIntervalSince1970: 1_795_000_000.25)

    private func expect<Value: Codable & Equatable>(
        _ value: Value, _ json: String, location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(String(decoding: try AdminJSON.encode(value), as: UTF8.self) == json, sourceLocation: location)
        #expect(try AdminJSON.decode(Value.self, from: Data(json.utf8)) == value, sourceLocation: location)
    }

    @Test func peopleAndTheirDevices() throws {
        let details = PersonDetails(fullName: "Anna Graf", email: "anna@example.com", locale: "de_CH")
        try expect(
            Person(userName: "anna", details: details, modified: moment, devices: ["D1"]),
            #"{"details":{"email":"anna@example.com","fullName":"Anna Graf","locale":"de_CH"},"devices":["D1"],"#
                + #""modified":"2026-11-18T11:06:40.250Z","userName":"anna"}"#)
        try expect(
            PersonDetails(
                firstName: "f", lastName: "l", department: "d", principalName: "p", accountName: "a",
                distinguishedName: "n"),
            #"{"accountName":"a","department":"d","distinguishedName":"n","firstName":"f","lastName":"l","#
                + #""principalName":"p"}"#)
        try expect(
            PeopleImportAnswer(added: 1, changed: 2, unchanged: 3, dryRun: true),
            #"{"added":1,"changed":2,"dryRun":true,"unchanged":3}"#)
        try expect(DevicePersonRequest(userName: "anna"), #"{"userName":"anna"}"#)
    }

    @Test func attributesOfADevice() throws {
        try expect(DeviceAttributes(attributes: ["location": "Lobby"]), #"{"attributes":{"location":"Lobby"}}"#)
        try expect(
            DeviceAttributesPatch(attributes: ["assetTag": .goes, "location": .becomes("Lobby")]),
            #"{"attributes":{"assetTag":null,"location":"Lobby"}}"#)
        try expect(
            AttributesImportAnswer(changed: 1, unchanged: 2, dryRun: true),
            #"{"changed":1,"dryRun":true,"unchanged":2}"#)
    }

    @Test func ofValuesOnlyNumbers() throws {
        try expect(
            SecretValuesAnswer(version: 4, set: 1, removed: 2, total: 3),
            #"{"removed":2,"set":1,"total":3,"version":4}"#)
        try expect(
            SecretValuesAnswer(owner: "person", version: 4, set: 1, removed: 2, total: 3),
            #"{"owner":"person","removed":2,"set":1,"total":3,"version":4}"#)
        try expect(
            SecretFacts(variables: ["person.email"], deviceValues: 2),
            #"{"deviceValues":2,"variables":["person.email"]}"#)
        try expect(SecretFacts(deviceValues: 2, personValues: 1), #"{"deviceValues":2,"personValues":1}"#)
    }

    @Test func configurationsNameTheirVariables() throws {
        try expect(
            ConfigurationAnswer(version: 1, sha256: "ab", size: 2, variables: ["person.email"]),
            #"{"sha256":"ab","size":2,"variables":["person.email"],"version":1,"warnings":[]}"#)
        try expect(
            ConfigurationAnswer(version: 1, sha256: "ab", size: 2, unchanged: true),
            #"{"sha256":"ab","size":2,"unchanged":true,"version":1,"warnings":[]}"#)
    }
}
