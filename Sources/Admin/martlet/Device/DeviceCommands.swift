import ArgumentParser

/// The command `martlet device …`.
struct DeviceCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Enrolled devices, and what became of what they were given.",
        subcommands: [
            DeviceList.self, DeviceShow.self, DeviceExplain.self, DeviceWait.self, DeviceQuery.self, DeviceApps.self,
            DeviceAppCommands.self, DeviceCommand.self,
            DeviceCommandQueue.self, DeviceCommandCancel.self, DeviceStatus.self, DeviceHistory.self,
            DeviceGroupCommands.self, DevicePersonCommands.self, DeviceAttributeCommands.self, DeviceRestart.self,
            DeviceShutDown.self, DeviceWithdraw.self,
            DeviceSignOut.self, DeviceRelease.self,
            DeviceExpect.self, DeviceExpectAll.self, DeviceExpected.self, DeviceUnexpect.self,
            DeviceInvite.self, DeviceInvitations.self, DeviceUninvite.self,
        ])
}
