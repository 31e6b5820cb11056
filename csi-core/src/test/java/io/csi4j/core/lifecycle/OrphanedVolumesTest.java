package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Volumes that the provider lists and that no volume of the state stands for. */
class OrphanedVolumesTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");

    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle engine = leading();

    private VolumeLifecycle leading() {
        VolumeLifecycle started = rig.follower();
        started.startLeading();
        rig.clock.run();
        return started;
    }

    private static ListVolumesResponse page(String token, String... ids) {
        return new ListVolumesResponse(
                Arrays.stream(ids)
                        .map(id -> new ListVolumesResponse.Entry(
                                ExternalVolume.builder(ExternalVolumeId.of(id)).build(), Optional.empty()))
                        .toList(),
                token);
    }

    private void listed(String... ids) {
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> page("", ids));
    }

    /** The next listing, during which something happens. */
    private void listedDuring(Runnable event, String... ids) {
        rig.gateway.plan(Rpc.LIST_VOLUMES, call -> {
            event.run();
            return CompletableFuture.completedFuture(page("", ids));
        });
    }

    private OrphanedVolumes found() {
        rig.gateway.calls().clear();
        OrphanedVolumes found = rig.done(engine.operator().orphanedVolumes(VolumeRig.PLUGIN));
        assertThat(rig.gateway.rpcs()).as("the search only lists volumes").containsOnly(Rpc.LIST_VOLUMES);
        return found;
    }

    private static List<ExternalVolumeId> ids(String... ids) {
        return Arrays.stream(ids).map(ExternalVolumeId::of).toList();
    }

    private void creating(VolumeKey key) {
        rig.ok(new VolumeCommand.RegisterVolume(
                key, VolumeRig.spec().build(), VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()));
    }

    private void made(VolumeKey key, String id) {
        rig.ok(new VolumeCommand.RecordProviderFacts(
                key,
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of(id))
                        .build(),
                rig.now()));
    }

    @Test
    void volumeUnknownToStateIsReported() {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        rig.done(engine.volumes()
                .register(
                        OTHER,
                        VolumeRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("declared"))
                                .build()));
        listed("ext-1", "leaked", "declared");
        listed("declared", "leaked", "ext-1");
        OrphanedVolumes found = found();
        assertThat(found.orphaned()).isEqualTo(ids("leaked"));
        assertThat(found.undecided()).isEmpty();
        assertThat(found.unresolved()).isEmpty();
    }

    @Test
    void listingIsNotRepeatedIfAllListedVolumesAreRegistered() {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        listed("ext-1");
        assertThat(found().orphaned()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.LIST_VOLUMES)).hasSize(1);
    }

    @Test
    void unregisteredVolumeIsReportedAsUndecidedWhileAnyCreationIsUnfinished() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<?> creation =
                engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
        rig.clock.run();
        listed("ext-1");
        listed("ext-1");
        OrphanedVolumes found = found();
        assertThat(found.orphaned()).isEmpty();
        assertThat(found.undecided()).isEqualTo(ids("ext-1"));
        assertThat(found.unresolved()).containsExactly(VolumeRig.VOL);
        rig.later(creation);
        listed("ext-1");
        assertThat(found().undecided()).isEmpty();
    }

    @Test
    void volumeIsReportedAsUnresolvedWhileDeletionOfUnfinishedCreationIsInProgress() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        creating(VolumeRig.VOL);
        rig.ok(new VolumeCommand.SetVolumePhase(VolumeRig.VOL, VolumePhase.DELETING, rig.now()));
        rig.clock.run();
        listed("ext-1");
        listed("ext-1");
        assertThat(found().unresolved()).containsExactly(VolumeRig.VOL);
    }

    @Test
    void volumeCreatedDuringFirstListingIsNotReported() {
        listedDuring(
                () -> {
                    creating(VolumeRig.VOL);
                    made(VolumeRig.VOL, "new");
                },
                "new");
        assertThat(found().orphaned()).isEmpty();
    }

    @Test
    void volumeCreatedDuringSecondListingIsNotReported() {
        listed("new");
        listedDuring(
                () -> {
                    creating(VolumeRig.VOL);
                    made(VolumeRig.VOL, "new");
                },
                "new");
        assertThat(found().orphaned()).isEmpty();
    }

    @Test
    void volumeDeletedDuringListingIsNotReported() {
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        listedDuring(() -> rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now())), "ext-1");
        // A provider may list a volume for a while after it has deleted it.
        listed("ext-1");
        assertThat(found().orphaned()).isEmpty();
    }

    @Test
    void volumeMissingInSecondListingIsNotReported() {
        listed("short-lived", "leaked");
        listed("leaked");
        assertThat(found().orphaned()).isEqualTo(ids("leaked"));
    }

    @Test
    void volumeListedOnSeveralPagesIsReportedOnce() {
        for (int i = 0; i < 2; i++) {
            rig.gateway.answer(Rpc.LIST_VOLUMES, request -> page("next", "leaked"));
            rig.gateway.answer(Rpc.LIST_VOLUMES, request -> {
                assertThat(((ListVolumesRequest) request).startingToken()).isEqualTo("next");
                return page("", "leaked", "leaked-too");
            });
        }
        assertThat(found().orphaned()).isEqualTo(ids("leaked", "leaked-too"));
    }

    @Test
    void expiredPageTokenRestartsListing() {
        rig.gateway
                .answer(Rpc.LIST_VOLUMES, request -> page("next", "gone"))
                .fail(Rpc.LIST_VOLUMES, StatusCode.ABORTED);
        listed("leaked");
        listed("leaked");
        assertThat(found().orphaned()).isEqualTo(ids("leaked"));
        assertThat(rig.gateway.requests(Rpc.LIST_VOLUMES)).hasSize(4);
    }

    @Test
    void searchFailsOnNonLeadingServer() {
        engine.stopLeading();
        rig.failed(engine.operator().orphanedVolumes(VolumeRig.PLUGIN), NotLeadingException.class);
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void searchFailsWhenServerStopsLeading() {
        listed("new");
        listedDuring(
                () -> {
                    engine.stopLeading();
                    engine.startLeading();
                },
                "new");
        rig.failed(engine.operator().orphanedVolumes(VolumeRig.PLUGIN), NotLeadingException.class);
    }

    @Test
    void searchForPluginWithoutListVolumesCapabilityIsRejected() {
        rig.controller.remove(ControllerCapability.LIST_VOLUMES);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        rig.failed(engine.operator().orphanedVolumes(VolumeRig.PLUGIN), CsiRequestException.class);
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void searchWithoutManagePermissionIsDenied() {
        rig.access = (caller, request) -> !request.equals(Access.of(Permission.MANAGEMENT));
        rig.failed(rig.follower().operator().orphanedVolumes(VolumeRig.PLUGIN), AccessDeniedException.class);
    }
}
