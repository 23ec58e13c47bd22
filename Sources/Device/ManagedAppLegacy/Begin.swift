import Foundation
import ManagedApp
import Synchronization

// Called by the constructor in C, before main. They are public for the linker alone.

/// Begins where this process has an agent; 1 when it did.
///
/// Not for apps: linking the module is all that is needed.
@_cdecl("managed_app_legacy_begin")
public func managedAppLegacyBegin() -> Int32 {
    let origin = AgentLink.shared.origin
    // Without one nothing is touched: user defaults are Foundation's, to the last bit.
    guard origin.path != nil else { return 0 }
    let isPlaced = ManagedDefaults.takePlace(of: UserDefaults.standard)
    if !isPlaced {
        let line = """
            ManagedAppLegacy: this Foundation's user defaults are not laid out as expected. The managed configuration comes \
            as an argument; send feedback by ManagedAppFeedback.update. Please report the version of Swift.

            """
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
    let link = DefaultsLink(origin: origin, way: isPlaced ? .standardObject : .argumentDomain) {
        NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: UserDefaults.standard)
    }
    ManagedDefaults.link.withLock { $0 = link }
    link.begin()
    return 1
}

/// Sends what was not sent yet, for a quarter of a second at most: the process ends.
///
/// Not for apps.
@_cdecl("managed_app_legacy_end")
public func managedAppLegacyEnd() {
    ManagedDefaults.present?.flush(within: .milliseconds(250))
}
