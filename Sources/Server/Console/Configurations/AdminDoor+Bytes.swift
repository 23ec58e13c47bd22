import Foundation

extension AdminDoor {
    /// Reads what is kept byte for byte, such as a property list; nothing where there is none.
    func bytes(_ path: String) async throws -> (bytes: Data, entityTag: String?)? {
        do {
            let answer = try await accepted(AdminDoorCall("GET", path))
            return (answer.body, answer.entityTag)
        } catch let refusal as AdminRefused where refusal.status == 404 {
            return nil
        }
    }

    /// Sends bytes as they are, under a condition or without.
    func send(
        _ method: String, _ path: String, bytes: Data, type: String, headers: [String: String] = [:]
    ) async throws -> AdminDoorAnswer {
        var headers = headers
        headers["Content-Type"] = type
        return try await accepted(AdminDoorCall(method, path, headers: headers, body: bytes))
    }
}
