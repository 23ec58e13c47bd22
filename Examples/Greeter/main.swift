import Foundation
import ManagedApp

struct GreeterConfig: Decodable {
    let greeting: String?
    let times: Int?
}

for await config in await ManagedAppConfigurationProvider().configurations(GreeterConfig.self) {
    let greeting = config?.greeting ?? "Hello"
    print(String(repeating: "\(greeting)! ", count: config?.times ?? 1))
    fflush(nil)
}
