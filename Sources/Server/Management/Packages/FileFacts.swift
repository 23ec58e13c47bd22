import Glibc

/// What the file system says of a file; a link is not followed.
struct FileFacts {
    let size: Int
    /// In seconds since 1970.
    let modified: Int

    /// Nothing where there is no file.
    init?(path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        size = Int(status.st_size)
        modified = status.st_mtim.tv_sec
    }

    /// What is free for us on the disk on which a directory lies.
    static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isMore ? Int.max : Int(clamping: bytes)
    }
}
