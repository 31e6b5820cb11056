package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.Parts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Volumes of an older format have the same claims, releases and limits as other volumes. */
class OlderFormatInUseTest {
    private static final RequestedCapability READERS =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY);
    private static final RequestedCapability ONE_WRITER =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER);

    private final StateStore store = StateStore.inMemory();
    private final Cluster cluster = new Cluster(store);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void requestedCapabilityOfVolumeIsKeptAfterAllRepairedClaimsAreReleased() throws IOException {
        restore(old(ONE_WRITER).addWritingAllocations("w").addReadingAllocations("r"));
        assertThat(volume().currentCapability()).contains(ONE_WRITER);
        assertThat(refused(take("a1", ClaimMode.WRITE, ONE_WRITER))).isInstanceOf(Rejection.NotAdmitted.class);
        cluster.accepted(take("a1", ClaimMode.READ, ONE_WRITER));
        for (String allocation : List.of("w", "r", "a1")) {
            release(allocation);
        }
        assertThat(volume().currentCapability()).isEmpty();
        assertThat(volume().spec().requestedCapabilities()).containsExactly(ONE_WRITER);
        cluster.accepted(take("a1", ClaimMode.WRITE, ONE_WRITER));
    }

    @Test
    void repairedVolumeAcceptsOnlyItsAttachedCapability() throws IOException {
        restore(old(ONE_WRITER));
        cluster.accepted(take("w", ClaimMode.WRITE, ONE_WRITER));
        RequestedCapability block = RequestedCapability.block(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER);
        assertThat(refused(take("r", ClaimMode.READ, block))).isInstanceOf(Rejection.NotAdmitted.class);
    }

    @Test
    void repairedVolumeUsedOnlyByReadersRefusesWriters() throws IOException {
        restore(old(READERS).addReadingAllocations("r"));
        List<Command> writers = List.of(
                take("w", ClaimMode.WRITE, READERS),
                take("w", ClaimMode.WRITE, ONE_WRITER),
                take("w", ClaimMode.WRITE, Cluster.SINGLE));
        writers.forEach(writer -> assertThat(refused(writer)).isInstanceOf(Rejection.NotAdmitted.class));
        release("r");
        assertThat(volume().currentCapability()).isEmpty();
        writers.forEach(writer -> assertThat(refused(writer)).isInstanceOf(Rejection.NotAdmitted.class));
        cluster.accepted(take("r", ClaimMode.READ, READERS));
    }

    /** The end of an allocation that has ended or is unknown will never be reported again, so the repair has to start the release. */
    @Test
    void repairedClaimsOfMissingAllocationsAreReleased() throws IOException {
        restore(old(ONE_WRITER)
                .addWritingAllocations("ended")
                .addReadingAllocations("forgotten")
                .addReadingAllocations("r")
                .addClaims(StateProto.Claim.newBuilder()
                        .setAllocationId("forgotten-too")
                        .setNodeId("n1")
                        .setMode("READ")
                        .setState("TAKEN")));
        assertThat(stateOf("ended")).isEqualTo(ClaimState.UNPUBLISHING);
        assertThat(stateOf("forgotten")).isEqualTo(ClaimState.UNPUBLISHING);
        assertThat(stateOf("forgotten-too")).isEqualTo(ClaimState.UNPUBLISHING);
        assertThat(stateOf("r")).isEqualTo(ClaimState.TAKEN);
        assertThat(store.snapshot().unsettledVolumes()).containsExactly(Cluster.key("v"));
        assertThat(volume().claims().size())
                .as("all claims count until they are freed")
                .isEqualTo(4);

        // The node of the claim is unknown, so only an operator's override can confirm the unmount.
        cluster.accepted(new ClaimCommand.OverrideClaim(
                Cluster.key("v"), AllocationId.of("forgotten"), "ann", "it is nowhere", Cluster.AT));
        cluster.accepted(new ClaimCommand.FreeClaim(Cluster.key("v"), AllocationId.of("forgotten"), Cluster.AT));
        release("forgotten-too");
        release("ended");
        release("r");
        assertThat(volume().inUse()).isFalse();
    }

    private static StateProto.Volume.Builder old(RequestedCapability inUse) {
        return StateProto.Volume.newBuilder()
                .setNamespace("default")
                .setVolumeId("v")
                .setSpec(StateProto.VolumeSpec.newBuilder().setPluginId("p"))
                .setCurrentCapability(Parts.capability(inUse))
                .setModifyIndex(5);
    }

    private void restore(StateProto.Volume.Builder volume) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RecordWriter writer = new RecordWriter(out);
        writer.write(
                RecordKind.HEADER,
                StateProto.Header.newBuilder()
                        .setFormat(FormatRepair.OLDEST)
                        .setIndex(9)
                        .build());
        List<String> allocations = List.of("a1", "ended", "r", "w");
        for (String allocation : allocations) {
            writer.write(
                    RecordKind.ALLOCATION,
                    StateProto.Allocation.newBuilder()
                            .setId(allocation)
                            .setNamespace("default")
                            .setNodeId(allocation.equals("a1") ? "n2" : "n1")
                            .setStatus((allocation.equals("ended") ? AllocationStatus.ENDED : AllocationStatus.RUNNING)
                                    .name())
                            .build());
        }
        writer.write(RecordKind.VOLUME, volume.build());
        writer.write(
                RecordKind.TRAILER,
                StateProto.Trailer.newBuilder()
                        .setAllocations(allocations.size())
                        .setVolumes(1)
                        .build());
        StateEncodingTest.restore(store, out.toByteArray());
        cluster.node("n1", "p").node("n2", "p");
    }

    private static Command take(String allocation, ClaimMode mode, RequestedCapability capability) {
        return new ClaimCommand.TakeClaims(
                AllocationId.of(allocation), List.of(ClaimRequest.of(Cluster.key("v"), mode, capability)), Cluster.AT);
    }

    private Rejection refused(Command command) {
        Outcome outcome = store.apply(command);
        assertThat(outcome).as("%s", command).isInstanceOf(Outcome.Rejected.class);
        return ((Outcome.Rejected) outcome).reason();
    }

    private void release(String allocation) {
        AllocationId id = AllocationId.of(allocation);
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.accepted(new ClaimCommand.CheckpointClaim(Cluster.key("v"), id, state, Cluster.AT));
        }
        cluster.accepted(new ClaimCommand.FreeClaim(Cluster.key("v"), id, Cluster.AT));
        assertThat(volume().claims().get(id)).isEmpty();
    }

    private ClaimState stateOf(String allocation) {
        return volume().claims()
                .get(AllocationId.of(allocation))
                .map(Claim::state)
                .orElseThrow();
    }

    private Volume volume() {
        return store.snapshot().volume(Cluster.key("v")).orElseThrow();
    }
}
