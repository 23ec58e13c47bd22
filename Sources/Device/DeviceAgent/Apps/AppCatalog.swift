import Foundation
import InputBounds

/// Finds the apps that lie in the device's app directories.
package enum AppCatalog {
    /// The apps below `directories`; where two have the same identifier, the first directory's wins.
    package static func scan(_ directories: [String]) -> [AppBundle] { [] }

    /// The app with this identifier.
    package static func find(_ identifier: String, in directories: [String]) -> AppBundle? {
        scan(directories).first { $0.identifier == identifier }
    }
}
