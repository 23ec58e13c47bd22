extension QueuedCommand {
    /// Commands that ask and change nothing, however often a device carries them out; one that lets a device out of its
    /// setup does nothing to a device that is out.
    private static let harmless: Set = [
        "ActivationLockBypassCode", "AvailableOSUpdates", "CertificateList", "ContentCachingInformation",
        "DeviceConfigured", "DeviceInformation", "InstalledApplicationList", "ManagedApplicationAttributes",
        "ManagedApplicationConfiguration", "ManagedApplicationList", "ManagedMediaList", "NSExtensionMappings",
        "OSUpdateStatus", "ProfileList", "ProvisioningProfileList", "Restrictions", "SecurityInfo", "UserList",
    ]

    /// Whether carrying a command out once more may do harm; of a kind that nobody knows it may.
    package static func acts(_ requestType: String) -> Bool { !harmless.contains(requestType) }
}
