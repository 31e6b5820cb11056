package io.csi4j.simulation.internal.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WorkloadOwner;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The checks of volumes that claims make find what is wrong; planted defects show the others. */
class SimMadeVolumesTest {
    private static final VolumeKey KEY = VolumeKey.of("default", "x");
    private static final AllocationId A = AllocationId.of("a");
    private static final NodeId N1 = NodeId.of("n1");
    private static final WorkloadOwner WEB = WorkloadOwner.of("web", 1);

    private final SimWorld world =
            new SimWorld(new SplittableRandom(1), new SplittableRandom(2), new SplittableRandom(3), 0, false);

    @AfterEach
    void close() {
        world.close();
    }

    private static Volume volume(VolumeOwner owner) {
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .name("x-1")
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .build();
        return Volume.builder(KEY, spec, 1, Instant.EPOCH)
                .classOrigin(new ClassOrigin(VolumeClassName.of("fast"), 1, 1, ReclaimPolicy.DELETE))
                .firstClaim(new FirstClaim(A, N1, List.of(KEY), false))
                .owner(owner)
                .build();
    }

    private Volume made(VolumeOwner owner) {
        Volume volume = volume(owner);
        StateReader state = world.store().snapshot();
        world.made()
                .accepted(
                        null,
                        new VolumeCommand.MarkForGc(KEY, Instant.EPOCH),
                        new Outcome.Accepted(true, List.of(new Effect.VolumeStored(volume, true))),
                        state,
                        state);
        return volume;
    }

    @Test
    void findsDeletionOfMountedVolume() {
        SimNode node = new SimNode(N1);
        world.add(node);
        Volume volume = made(new VolumeOwner.OfAllocation(A));
        world.made().deletes(volume);
        assertThat(world.violations()).isEmpty();
        node.name(SimWorld.idOf(volume), KEY);
        node.mount(new SimNode.Mount(KEY, A), AttachmentMode.MOUNT);
        world.made().deletes(volume);
        assertThat(world.violations()).containsExactly("I19: a mounted volume is deleted: default/x on n1 for a");
    }

    @Test
    void findsVolumeOfWorkloadThatHasEnded() {
        VolumeOwner owner = new VolumeOwner.OfWorkload(WEB, Optional.empty());
        made(owner);
        assertThat(world.violations()).isEmpty();
        world.made().ended(WEB);
        made(owner);
        assertThat(world.violations())
                .containsExactly("I19: a volume is made for an ended owner: default/x for web, incarnation 1");
    }

    /** Returns the present state with one more volume. */
    private StateReader with(Volume volume) {
        StateReader state = world.store().snapshot();
        return (StateReader) Proxy.newProxyInstance(
                StateReader.class.getClassLoader(),
                new Class<?>[] {StateReader.class},
                (proxy, method, arguments) ->
                        method.getName().equals("volume") && volume.key().equals(arguments[0])
                                ? Optional.of(volume)
                                : method.invoke(state, arguments));
    }

    private void stored(Volume volume) {
        world.made()
                .accepted(
                        null,
                        new VolumeCommand.MarkForGc(KEY, Instant.EPOCH),
                        new Outcome.Accepted(true, List.of(new Effect.VolumeStored(volume, true))),
                        world.store().snapshot(),
                        with(volume));
    }

    @Test
    void findsInlineVolumeThatOutlivesItsClaim() {
        Volume volume = volume(new VolumeOwner.OfAllocation(A));
        Volume.Builder inline = volume.toBuilder()
                .origin(VolumeOrigin.INLINE)
                .phase(VolumePhase.AVAILABLE)
                .spec(volume.spec().toBuilder()
                        .name("")
                        .externalVolumeId(ExternalVolumeId.of("csi-1"))
                        .build());
        stored(inline.build());
        assertThat(world.violations()).isEmpty();
        assertThat(world.volumes()).containsEntry("csi-1", KEY);
        stored(inline.firstClaim(null).build());
        assertThat(world.violations()).containsExactly("I19: an inline volume stays without a claim: default/x");
    }

    @Test
    void olderCapacityIsReportedOnlyWhileThereAreFaults() {
        SimMadeVolumes made = world.made();
        Set<Long> reported = new TreeSet<>();
        for (long free = 1; free <= 20; free++) {
            reported.add(free - made.reported("z1", free));
        }
        assertThat(reported).contains(0L).hasSizeGreaterThan(1);
        world.faults().stop();
        assertThat(made.reported("z1", 100)).isEqualTo(100);
        assertThat(made.capacityDelay()).isEmpty();
    }

    @Test
    void pluginDoesNotRefuseTwiceInARowWhatItHas() {
        String volume = world.provider().create("x-1").value();
        SimMadeVolumes made = world.made();
        assertThat(made.refusal(Rpc.CREATE_VOLUME, volume, StatusCode.INVALID_ARGUMENT))
                .isEqualTo(StatusCode.INVALID_ARGUMENT);
        assertThat(made.refusal(Rpc.CREATE_VOLUME, volume, StatusCode.INVALID_ARGUMENT))
                .isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(made.refusal(Rpc.CREATE_VOLUME, "other", StatusCode.INVALID_ARGUMENT))
                .isEqualTo(made.refusal(Rpc.CREATE_VOLUME, "other", StatusCode.INVALID_ARGUMENT));
        assertThat(made.lost(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED)).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(made.lost(Rpc.DELETE_VOLUME, StatusCode.RESOURCE_EXHAUSTED))
                .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    }
}
