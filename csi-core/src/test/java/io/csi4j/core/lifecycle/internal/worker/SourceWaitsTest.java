package io.csi4j.core.lifecycle.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SourceWaitsTest {
    private static final VolumeKey SOURCE = VolumeKey.of("ns", "source");
    private static final VolumeKey COPY = VolumeKey.of("ns", "copy");
    private static final ExternalVolumeId ID = ExternalVolumeId.of("ext");

    private final NaiveState state = new NaiveState();
    private final List<VolumeKey> woken = new ArrayList<>();
    private final SourceWaits waits = new SourceWaits(() -> state, woken::add);
    private final Volume source = Volume.builder(
                    SOURCE, spec().externalVolumeId(ID).build(), 1, Instant.EPOCH)
            .phase(VolumePhase.DELETING)
            .build();

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)));
    }

    private static Plan waitsFor(RemainingWork.Reason reason) {
        RemainingWork.Wait wait = new RemainingWork.Wait(reason, Optional.empty(), Optional.empty(), Optional.empty());
        return new Plan(List.of(), List.of(), List.of(wait), Optional.empty());
    }

    private void planned() {
        waits.planned(SOURCE, source, waitsFor(RemainingWork.Reason.SOURCE_IN_USE));
    }

    private void copyIs(VolumePhase phase) {
        VolumeSpec spec = spec().contentSource(VolumeContentSource.volume(ID)).build();
        state.putVolume(Volume.builder(COPY, spec, 2, Instant.EPOCH)
                .origin(VolumeOrigin.CREATED)
                .phase(phase)
                .build());
    }

    SourceWaitsTest() {
        state.putVolume(source);
        copyIs(VolumePhase.CREATING);
    }

    @Test
    void deletionIsWokenWhenTheCreationEnds() {
        planned();
        waits.changed();
        assertThat(woken).as("the creation goes on").isEmpty();
        copyIs(VolumePhase.AVAILABLE);
        waits.changed();
        assertThat(woken).containsExactly(SOURCE);
    }

    @Test
    void creationThatHasEndedSinceThePlanWakesTheDeletionAtOnceAndOnce() {
        copyIs(VolumePhase.AVAILABLE);
        planned();
        assertThat(woken).containsExactly(SOURCE);
        planned();
        assertThat(woken).as("it is noted already").hasSize(1);
    }

    @Test
    void deletionThatIsGoneOrWaitsForSomethingElseIsNotWoken() {
        copyIs(VolumePhase.CREATING);
        planned();
        waits.planned(SOURCE, source, waitsFor(RemainingWork.Reason.LEDGER_NOT_KNOWN));
        copyIs(VolumePhase.AVAILABLE);
        waits.changed();
        copyIs(VolumePhase.CREATING);
        planned();
        waits.planned(SOURCE, null, waitsFor(RemainingWork.Reason.SOURCE_IN_USE));
        copyIs(VolumePhase.AVAILABLE);
        waits.changed();
        assertThat(woken).isEmpty();
    }

    @Test
    void deletionWhoseRowWasRemovedIsWokenToForgetIt() {
        planned();
        state.removeVolume(SOURCE);
        waits.changed();
        assertThat(woken).containsExactly(SOURCE);
    }
}
