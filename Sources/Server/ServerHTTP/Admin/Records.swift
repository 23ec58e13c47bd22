import Management

// The rules and the API's messages share nouns; these are the rules' ones where both are in sight.
typealias AppRecord = App
typealias AppSourceRecord = AppSource
typealias AppSecretKindRecord = AppSecretKind
typealias AssignmentRecord = Assignment
typealias AuditEntryRecord = AuditEntry
typealias CodeRecord = EnrollmentCode
typealias CodeWish = EnrollmentCodeRequest
typealias ConfigurationVersionRecord = ConfigurationVersion
typealias DeviceRecord = Device
typealias ExpectedDeviceRecord = ExpectedDevice
typealias GroupPreviewRecord = GroupPreview
typealias GroupRecord = Group
typealias JobRecord = Job
typealias IssuedRecord = IssuedCertificate
typealias OwnershipRecord = Ownership
typealias PageRecord = Page
typealias PersonRecord = Person
typealias RefusalExplanationRecord = RefusalExplanation
typealias SecretAssignmentRecord = SecretAssignment
typealias SecretRecord = Secret
typealias SessionRecord = Session
typealias SettingAssignmentRecord = SettingAssignment
typealias SettingKindRecord = SettingKind
typealias SettingRecord = Setting
typealias StatusItemRecord = StatusItem
typealias AdministratorRecord = Administrator
typealias WebhookDeliveryRecord = WebhookDelivery
typealias WebhookRecord = Webhook
