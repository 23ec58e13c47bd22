import AppPackages
import CraftedPackages
import Foundation
import Testing

/// Packages that were made to do harm, from anybody's web server to a device.
///
/// Each is installed first by a device that unpacks archives as they say of themselves, and does its harm there. Where
/// it can the team that the device trusts has signed it: a signature says who, not that it is harmless.
@Suite(
    .serialized, .inTurn, .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "only root changes whom a system trusts"),
    .enabled(if: Nginx.isThere, "nginx is not there: run make setup"))
struct HostilePackageTests {
    @Test func whatHarmsANaiveDeviceIsRefusedLoggedAndCounted() async throws {
        try await HostileWeb.with { web in
            for (number, attack) in PackageAttack.all.enumerated() {
                let place = try web.publish(attack)
                for wanted in attack.deceived.stricter {
                    #expect(try await web.naive(place, wanting: wanted) == "refused", "\(attack)")
                }
                #expect(try await web.naive(place, wanting: attack.deceived) == "installed", "\(attack)")
                #expect(try attack.hasDoneHarm(place), "\(attack): no harm to a naive device")

                try place.prepare()
                try await web.offer(place)
                try await web.refused(number + 1, "\(attack)")
                #expect(try web.refusals().last?.contains(attack.rule.description) == true, "\(attack)")
                #expect(try web.refusals().count == number + 1, "\(attack)")
                #expect(try web.road.managedApps().isEmpty, "\(attack)")
                #expect(try place.isUntouched, "\(attack)")
                #expect(try await web.road.shell("find . -name escaped") == "", "\(attack)")
            }
            let status = try await web.road.run("martlet-agent", ["status", "--directory", web.road.agentDirectory])
            #expect(status.text.contains("refused      package  \(PackageAttack.all.count)"), "\(status.text)")
            // The same device, team and web server: it is the package that was refused.
            try await web.offer(try web.publish(nil))
            try await web.road.app("managed", named: HostileWeb.app) { $0?["state"] as? String == "managed" }
            #expect(try await web.road.refusals("package") == PackageAttack.all.count)
        }
    }
}
