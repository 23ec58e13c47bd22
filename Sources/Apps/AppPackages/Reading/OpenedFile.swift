import Glibc

/// What a descriptor is of.
package enum OpenedFile {
    /// For those who import Foundation, too: an optimised build finds the fields of `stat` there in a module of its own,
    /// and does not let them use it.
    package static func isRegular(_ descriptor: CInt) -> Bool {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }
}
