import Foundation
import ManagedApp
import ManagedAppSpecification

try PublishedSpecification.emitIfAsked(try GreeterConfig.specification)

for await config in await ManagedAppConfigurationProvider().configurations(GreeterConfig.self) {
    let config = config ?? .standard
    print(String(repeating: "\(config.greeting)! ", count: config.times))
    fflush(nil)
}
