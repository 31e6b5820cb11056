package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.Parts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values that an older format does not have are derived from the values that it has. */
class FormatRepairTest {
    private static final StateProto.Capability READER =
            Parts.capability(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY));
    private static final StateProto.Capability WRITER =
            Parts.capability(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER));
    private static final VolumeKey KEY = VolumeKey.of("default", "v");

    @Test
    void claimWithoutNodeGetsNodeOfItsAllocation() throws IOException {
        Volume volume = restore(old().addClaims(StateProto.Claim.newBuilder()
                        .setAllocationId("a1")
                        .setMode("READ")
                        .setState("UNPUBLISHING")
                        .setCapability(WRITER))
                .build());
        Claim claim = claim(volume, "a1");
        assertThat(claim.nodeId()).isEqualTo(NodeId.of("n1"));
        assertThat(claim.mode()).isEqualTo(ClaimMode.READ);
        assertThat(claim.state()).isEqualTo(ClaimState.UNPUBLISHING);
    }

    @Test
    void claimWithoutAllocationIsKept() throws IOException {
        Volume volume = restore(old().setCurrentCapability(WRITER)
                .addWritingAllocations("forgotten")
                .build());
        assertThat(claim(volume, "forgotten").nodeId()).isEqualTo(NodeId.of("unknown"));
        assertThat(volume.claims().writers()).isOne();
    }

    @Test
    void claimWithoutCapabilityGetsCapabilityOfVolume() throws IOException {
        Volume volume = restore(old().setCurrentCapability(READER)
                .addClaims(StateProto.Claim.newBuilder().setAllocationId("a1").setMode("READ"))
                .build());
        Claim claim = claim(volume, "a1");
        assertThat(claim.capability().accessMode()).isEqualTo(VolumeAccessMode.MULTI_NODE_READER_ONLY);
        assertThat(claim.state()).isEqualTo(ClaimState.TAKEN);
    }

    @Test
    void allocationWithoutClaimGetsClaim() throws IOException {
        Volume volume = restore(old().setCurrentCapability(WRITER)
                .addReadingAllocations("a1")
                .addReadingAllocations("a2")
                .addWritingAllocations("a2")
                .addClaims(StateProto.Claim.newBuilder()
                        .setAllocationId("a1")
                        .setNodeId("n9")
                        .setMode("READ")
                        .setState("NODE_DETACHED"))
                .build());
        assertThat(volume.claims().size()).isEqualTo(2);
        assertThat(claim(volume, "a1").state()).isEqualTo(ClaimState.NODE_DETACHED);
        assertThat(claim(volume, "a1").nodeId()).isEqualTo(NodeId.of("n9"));
        assertThat(claim(volume, "a2").mode()).isEqualTo(ClaimMode.WRITE);
        assertThat(claim(volume, "a2").state()).isEqualTo(ClaimState.TAKEN);
    }

    @Test
    void volumeWithoutCapabilitiesGetsCapabilityInUse() throws IOException {
        Volume volume = restore(old().setCurrentCapability(READER).build());
        assertThat(volume.spec().requestedCapabilities())
                .containsExactly(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY));
        assertThat(volume.phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @Test
    void ambiguousOldStateIsRefused() {
        StateProto.Volume unclear = old().addReadingAllocations("a1").build();
        assertThatThrownBy(() -> restore(unclear))
                .isInstanceOf(StateFormatException.class)
                .hasMessageContaining("default/v")
                .hasMessageContaining("nothing says how it is used");
    }

    @Test
    void currentFormatIsNotRepaired() {
        StateProto.Volume incomplete = old().setOrigin("REGISTERED")
                .setPhase("AVAILABLE")
                .addClaims(StateProto.Claim.newBuilder()
                        .setAllocationId("a1")
                        .setNodeId("n1")
                        .setMode("READ")
                        .setState("TAKEN"))
                .build();
        assertThatThrownBy(() -> {
                    try (StateStore store = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable())) {
                        StateEncodingTest.restore(
                                store, StateEncodingTest.encode(FormatRepair.PRESENT, List.of(incomplete)));
                    }
                })
                .isInstanceOf(StateFormatException.class)
                .hasMessageContaining("has no capability");
    }

    private static StateProto.Volume.Builder old() {
        return StateProto.Volume.newBuilder()
                .setNamespace("default")
                .setVolumeId("v")
                .setSpec(StateProto.VolumeSpec.newBuilder().setPluginId("p"))
                .setModifyIndex(5);
    }

    private static Claim claim(Volume volume, String allocation) {
        return volume.claims().get(AllocationId.of(allocation)).orElseThrow();
    }

    private static Volume restore(StateProto.Volume old) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RecordWriter writer = new RecordWriter(out);
        writer.write(
                RecordKind.HEADER,
                StateProto.Header.newBuilder()
                        .setFormat(FormatRepair.OLDEST)
                        .setIndex(9)
                        .build());
        for (int i = 1; i <= 2; i++) {
            writer.write(
                    RecordKind.ALLOCATION,
                    StateProto.Allocation.newBuilder()
                            .setId("a" + i)
                            .setNamespace("default")
                            .setNodeId("n" + i)
                            .setStatus(AllocationStatus.RUNNING.name())
                            .build());
        }
        writer.write(RecordKind.VOLUME, old);
        writer.write(
                RecordKind.TRAILER,
                StateProto.Trailer.newBuilder().setAllocations(2).setVolumes(1).build());
        try (StateStore store = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable());
                StateStore again = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable())) {
            StateEncodingTest.restore(store, out.toByteArray());
            // After encoding in the present format, the state needs no repair.
            StateEncodingTest.restore(again, StateEncodingTest.encode(store));
            SameAnswers.check(again.snapshot(), store.snapshot());
            return store.snapshot().volume(KEY).orElseThrow();
        }
    }
}
