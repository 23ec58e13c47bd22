import CManagedAppLegacy
package import Foundation
package import Synchronization

/// The keys under which apps know the two dictionaries.
package enum DefaultsKeys {
    /// What the administrator sends to the app.
    package static let configuration = "com.apple.configuration.managed"
    /// What the app sends back.
    package static let feedback = "com.apple.feedback.managed"
}

/// The class of the standard user defaults where an agent is: it answers for two keys, Foundation for all others.
///
/// Foundation's own object is given this class, once and before the app's first thread. So it has no stored properties, and
/// no instance of it is ever made. Without a link, and in a copy of the process, everything is Foundation's.
package final class ManagedDefaults: UserDefaults {
    /// The link of this process.
    package static let link = Mutex<DefaultsLink?>(nil)

    /// Gives an object of Foundation's this class; false where that is not known to work.
    package static func takePlace(of object: UserDefaults) -> Bool {
        let ours = unsafe unsafeBitCast(ManagedDefaults.self as AnyClass, to: UnsafeRawPointer.self)
        let theirs = unsafe unsafeBitCast(UserDefaults.self as AnyClass, to: UnsafeRawPointer.self)
        let address = unsafe Unmanaged.passUnretained(object).toOpaque()
        return unsafe cmanagedapplegacy_adopt(address, ours, theirs) == 1 && object is ManagedDefaults
    }

    /// The link, where it is this process's own.
    static var present: DefaultsLink? {
        guard let link = Self.link.withLock({ $0 }), link.isOurs else { return nil }
        return link
    }

    // Whose feedback is kept; nil where Foundation keeps it.
    private static var keeper: DefaultsLink? {
        guard let link = present, link.keepsFeedback else { return nil }
        return link
    }

    package override func object(forKey name: String) -> Any? {
        switch name {
        case DefaultsKeys.configuration:
            if let configuration = Self.present?.configuration { return configuration.dictionary }
        case DefaultsKeys.feedback:
            guard let keeper = Self.keeper else { break }
            // Once more at the end: meanwhile it may have been taken over from Foundation.
            return keeper.readFeedback()?.dictionary ?? super.object(forKey: name) ?? keeper.feedback?.dictionary
        default:
            break
        }
        return super.object(forKey: name)
    }

    package override func set(_ value: Any?, forKey name: String) {
        guard name == DefaultsKeys.feedback, let keeper = Self.keeper else {
            super.set(value, forKey: name)
            return
        }
        guard let value else {
            removeObject(forKey: name)
            return
        }
        guard let dictionary = value as? [String: Any] else {
            pass(value, by: keeper)
            return
        }
        do throws(ManagedAppFeedbackError) {
            if keeper.write(try ParsedDictionary(checking: dictionary)) { replaceFoundations(by: keeper) }
        } catch {
            guard error != .notAPropertyList else {
                pass(value, by: keeper)
                return
            }
            keeper.complain(error)
            keeper.passBy(elsewhere: false)
        }
    }

    package override func removeObject(forKey name: String) {
        guard name == DefaultsKeys.feedback, let keeper = Self.keeper else {
            super.removeObject(forKey: name)
            return
        }
        if keeper.write(nil) { replaceFoundations(by: keeper) }
    }

    package override func dictionaryRepresentation() -> [String: Any] {
        var all = super.dictionaryRepresentation()
        guard let link = Self.present else { return all }
        if let configuration = link.configuration { all[DefaultsKeys.configuration] = configuration.dictionary }
        if let feedback = link.feedback { all[DefaultsKeys.feedback] = feedback.dictionary }
        return all
    }

    package override func objectIsForced(forKey name: String) -> Bool {
        if name == DefaultsKeys.configuration, Self.present?.configuration != nil { return true }
        return super.objectIsForced(forKey: name)
    }

    // What is no feedback is the app's and Foundation's, which ends the process over what is no property list.
    private func pass(_ value: Any, by keeper: DefaultsLink) {
        super.set(value, forKey: DefaultsKeys.feedback)
        keeper.passBy(elsewhere: true)
    }

    // The keeper's feedback continues from Foundation's, so Foundation's goes.
    private func replaceFoundations(by keeper: DefaultsLink) {
        guard foundationsFeedback != nil else { return }
        keeper.replaceFoundations { removeFoundationsFeedback() }
    }

    /// Foundation's feedback, whether or not its object has this class.
    static var foundationsFeedback: Any? {
        let defaults = UserDefaults.standard
        guard let ours = defaults as? ManagedDefaults else { return defaults.object(forKey: DefaultsKeys.feedback) }
        return ours.foundationsFeedback
    }

    /// Removes Foundation's feedback.
    static func removeFoundationsFeedback() {
        let defaults = UserDefaults.standard
        guard let ours = defaults as? ManagedDefaults else {
            return defaults.removeObject(forKey: DefaultsKeys.feedback)
        }
        ours.removeFoundationsFeedback()
    }

    private var foundationsFeedback: Any? { super.object(forKey: DefaultsKeys.feedback) }

    private func removeFoundationsFeedback() { super.removeObject(forKey: DefaultsKeys.feedback) }
}
