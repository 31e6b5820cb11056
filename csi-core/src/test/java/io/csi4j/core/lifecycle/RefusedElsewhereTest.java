package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The ends of creations that a server asked for which does not lead, so that it makes no call itself. */
class RefusedElsewhereTest {
    private final VolumeRig rig = VolumeRig.started();
    private final VolumeLifecycle leader = rig.engine();
    private final VolumeLifecycle other = VolumeLifecycle.builder()
            .log(rig.log)
            .gateway(rig.gateway)
            .environment(rig.clock.environment(new Random(8)))
            .callbackExecutor(rig.clock)
            .build();

    private CompletableFuture<Volume> asked() {
        return other.volumes().create(VolumeRig.VOL, VolumeRig.spec().build());
    }

    @Test
    void followerReportsRefusalOfPluginLikeTheLeader() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE);
        CsiCallException here = rig.failed(asked(), CsiCallException.class);
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE);
        CsiCallException there = rig.failed(
                leader.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), CsiCallException.class);
        assertThat(here.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
        assertThat(here.outcome()).isEqualTo(there.outcome()).isEqualTo(CallOutcome.CHANGE_REQUEST);
        assertThat(here.rpc()).isEqualTo(there.rpc());
        assertThat(here.plugin()).isEqualTo(VolumeRig.PLUGIN.value());
        assertThat(here.volume()).isPresent();
        assertThat(here)
                .hasMessageStartingWith(here.summary())
                .hasMessageContainingAll("CreateVolume", "OUT_OF_RANGE", "another server made the call");
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    /** The plugin's words may repeat a confidential value, so they are not stored. */
    @Test
    void storedRefusalHasNoTextOfThePlugin() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE);
        CsiCallException there = rig.failed(
                leader.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()), CsiCallException.class);
        assertThat(rig.log.snapshot().rows(RowType.REFUSED_CREATIONS))
                .extracting(row -> row.reason().error(), RefusedCreation::volume)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(there.summary(), VolumeRig.VOL));
    }

    @Test
    void followerReportsThatProviderGaveVolumeOfAnotherRow() {
        rig.ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of("default", "owner"),
                VolumeRig.spec().externalVolumeId(ExternalVolumeId.of("ext-1")).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                rig.now()));
        assertThat(rig.failed(asked(), RefusedException.class)).hasMessageContaining("default/owner");
    }

    @Test
    void followerSaysThatVolumeWasRemovedWithoutRefusal() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> creation = asked();
        rig.clock.run();
        assertThat(creation).isNotDone();
        rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now()));
        VolumeRemovedException removed = rig.failed(creation, VolumeRemovedException.class);
        assertThat(removed.volume()).isEqualTo(VolumeRig.VOL);
        assertThat(removed).hasMessageContaining("was removed from the state while it was being created");
    }

    @Test
    void refusalOfEarlierCreationIsNotThatOfALaterOne() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE);
        rig.failed(asked(), CsiCallException.class);
        assertThat(rig.done(asked()).key()).isEqualTo(VolumeRig.VOL);
    }

    @Test
    void stateKeepsTheLatestRefusals() {
        RefusedCreation.Reason reason =
                new RefusedCreation.Reason(Optional.of(StatusCode.OUT_OF_RANGE), "it was refused");
        List<Long> indexes = new ArrayList<>();
        for (int i = 0; i < RefusedCreation.KEPT + 3; i++) {
            VolumeKey key = VolumeKey.of("default", "v" + i);
            rig.ok(new VolumeCommand.RegisterVolume(
                    key, VolumeRig.spec().build(), VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()));
            indexes.add(rig.log.snapshot().volume(key).orElseThrow().createIndex());
            rig.ok(new VolumeCommand.DeregisterVolume(key, true, 0, Optional.of(reason), rig.now()));
        }
        assertThat(rig.log.snapshot().rows(RowType.REFUSED_CREATIONS))
                .extracting(RefusedCreation::createIndex)
                .containsExactlyElementsOf(indexes.subList(3, indexes.size()));
    }
}
