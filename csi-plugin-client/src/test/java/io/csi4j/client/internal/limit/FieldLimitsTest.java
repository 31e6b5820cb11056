package io.csi4j.client.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Message;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.proto.csi.v1.ControllerGetVolumeResponse;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.ListVolumesResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.file.v1.FileProto;
import io.csi4j.proto.values.v1.ValuesProto;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The largest accepted and the smallest refused size of each kind of field. */
class FieldLimitsTest {
    private static void accepted(Message answer) {
        AnswerLimits.check(answer);
        assertThat(AnswerLimits.holdsFor(answer)).isTrue();
    }

    private static void refused(Message answer, String problem) {
        assertThatThrownBy(() -> AnswerLimits.check(answer))
                .isInstanceOf(UnusableAnswerException.class)
                .hasMessageStartingWith(problem);
        assertThat(AnswerLimits.holdsFor(answer)).isFalse();
    }

    private static Message created(Volume.Builder volume) {
        return CreateVolumeResponse.newBuilder().setVolume(volume).build();
    }

    private static Message topology(Topology.Builder topology) {
        return NodeGetInfoResponse.newBuilder()
                .setNodeId("n")
                .setAccessibleTopology(topology)
                .build();
    }

    private static Message flags(String... flags) {
        return ValidateVolumeCapabilitiesResponse.newBuilder()
                .setConfirmed(ValidateVolumeCapabilitiesResponse.Confirmed.newBuilder()
                        .addVolumeCapabilities(VolumeCapability.newBuilder()
                                .setMount(VolumeCapability.MountVolume.newBuilder()
                                        .addAllMountFlags(List.of(flags)))))
                .build();
    }

    @Test
    void textIsCountedInBytes() {
        accepted(GetPluginInfoResponse.newBuilder()
                .setVendorVersion("é".repeat(64))
                .build());
        refused(
                GetPluginInfoResponse.newBuilder()
                        .setVendorVersion("é".repeat(64) + "x")
                        .build(),
                "vendorVersion has 129 bytes, and at most 128 are accepted (R16)");
        accepted(created(Volume.newBuilder().setVolumeId("x".repeat(1_024))));
        refused(created(Volume.newBuilder().setVolumeId("x".repeat(1_025))), "volume.volumeId has 1025 bytes");
    }

    @Test
    void keysAndValuesOfMapAreCountedTogether() {
        Volume.Builder volume = Volume.newBuilder().putVolumeContext("key", "x".repeat(2_045));
        accepted(created(volume.putVolumeContext("kez", "x".repeat(2_045))));
        refused(
                created(volume.putVolumeContext("kez", "x".repeat(2_046))),
                "volume.volumeContext has 4097 bytes, and at most 4096 are accepted (R16)");
    }

    @Test
    void partsOfTopologyHaveTheirOwnLimit() {
        String part = "x".repeat(63);
        accepted(topology(Topology.newBuilder().putSegments(part + "/" + part, part)));
        accepted(topology(Topology.newBuilder().putSegments(part, "")));
        accepted(NodeGetInfoResponse.newBuilder().setNodeId("n").build());
        String problem = "accessibleTopology.segments has a key or value that has 64 bytes";
        refused(topology(Topology.newBuilder().putSegments(part + "x/a", "a")), problem);
        refused(topology(Topology.newBuilder().putSegments("a/" + part + "x", "a")), problem);
        refused(topology(Topology.newBuilder().putSegments(part + "x", "a")), problem);
        refused(topology(Topology.newBuilder().putSegments("a", part + "x")), problem);
        refused(topology(Topology.newBuilder().putSegments("a", part + "x").putSegments("b", part + "xy")), problem);
        Topology.Builder many = Topology.newBuilder();
        for (int i = 100; i < 164; i++) {
            many.putSegments("k" + i, "x".repeat(60));
        }
        accepted(topology(many));
        refused(
                topology(many.putSegments("k100", part + "xx")),
                "accessibleTopology.segments has 4101 bytes, and at most 4096");
    }

    @Test
    void mountFlagsAreCountedTogether() {
        accepted(flags());
        accepted(flags("x".repeat(4_000), "x".repeat(96)));
        refused(
                flags("x".repeat(4_000), "x".repeat(97)),
                "confirmed.volumeCapabilities[0].mount.mountFlags has 4097 bytes, and at most 4096 are accepted (R18)");
        String[] many = Collections.nCopies(1_001, "x").toArray(String[]::new);
        refused(flags(many), "confirmed.volumeCapabilities[0].mount.mountFlags has 1001 elements");
        many = Collections.nCopies(1_000, "x").toArray(String[]::new);
        accepted(flags(many));
    }

    @Test
    void elementBeyondLimitIsNamedWithItsIndex() {
        ListVolumesResponse.VolumeStatus.Builder status = ListVolumesResponse.VolumeStatus.newBuilder()
                .addPublishedNodeIds("x".repeat(256))
                .addPublishedNodeIds("n");
        ListVolumesResponse.Builder list = ListVolumesResponse.newBuilder()
                .addEntries(ListVolumesResponse.Entry.getDefaultInstance())
                .addEntries(ListVolumesResponse.Entry.newBuilder().setStatus(status));
        accepted(list.build());
        list.getEntriesBuilder(1).getStatusBuilder().setPublishedNodeIds(1, "x".repeat(257));
        refused(list.build(), "entries[1].status.publishedNodeIds[1] has 257 bytes");
    }

    @Test
    void idOfCreatedVolumeIsKnownUnlessItIsEmptyOrTooLong() {
        String large = "x".repeat(5_000);
        List.of("", "x".repeat(1_025), "vol-1")
                .forEach(id -> assertThatThrownBy(() -> AnswerLimits.check(
                                created(Volume.newBuilder().setVolumeId(id).putVolumeContext("k", large))))
                        .isInstanceOfSatisfying(
                                UnusableAnswerException.class,
                                unusable -> assertThat(unusable.createdVolume())
                                        .isEqualTo(id.equals("vol-1") ? Optional.of(id) : Optional.empty())));
    }

    @Test
    void decoderGetsOnlyResponsesWithinLimits() {
        Function<Object, String> checked = AnswerLimits.checked(String::valueOf);
        assertThat(checked.apply("no message")).isEqualTo("no message");
        GetPluginInfoResponse answer =
                GetPluginInfoResponse.newBuilder().setName("n").build();
        assertThat(checked.apply(answer)).isEqualTo(answer.toString());
        GetPluginInfoResponse large = answer.toBuilder().setName("x".repeat(64)).build();
        assertThatThrownBy(() -> checked.apply(large)).isInstanceOf(UnusableAnswerException.class);
    }

    @Test
    void messageInSeveralResponsesIsLimitedInEach() {
        FieldLimits limits = FieldLimits.of(List.of(
                        CreateVolumeResponse.getDescriptor(),
                        ControllerGetVolumeResponse.getDescriptor(),
                        NodeGetInfoResponse.getDescriptor()))
                .count(InputLimit.NODES, "csi.v1.ControllerGetVolumeResponse.VolumeStatus.published_node_ids")
                .count(InputLimit.TOPOLOGIES, "csi.v1.Volume.accessible_topology")
                .value(InputLimit.TOPOLOGY_PART, "csi.v1.Topology.segments")
                .build();
        String part = "x".repeat(64);
        Topology topology = Topology.newBuilder().putSegments(part, "a").build();
        String problem = "has a key or value that " + InputLimit.TOPOLOGY_PART.problem(64);
        assertThat(limits.excess(topology(topology.toBuilder())))
                .contains(new FieldLimits.Excess("accessibleTopology.segments", problem));
        Volume.Builder volume = Volume.newBuilder().addAccessibleTopology(topology);
        assertThat(limits.excess(created(volume)))
                .contains(new FieldLimits.Excess("volume.accessibleTopology[0].segments", problem));
        assertThat(limits.excess(ControllerGetVolumeResponse.newBuilder()
                        .setVolume(volume)
                        .build()))
                .contains(new FieldLimits.Excess("volume.accessibleTopology[0].segments", problem));
        assertThat(limits.excess(created(Volume.newBuilder().putVolumeContext("k", "x".repeat(4_096)))))
                .contains(new FieldLimits.Excess("volume.volumeContext", InputLimit.MAP.problem(4_097)));
    }

    @Test
    void entriesOfListAreCountedAsMap() {
        FieldLimits limits = FieldLimits.of(List.of(FileProto.MountTerms.getDescriptor()))
                .count(InputLimit.FLAGS, "csi4j.file.v1.MountTerms.mount_flags")
                .value(InputLimit.MOUNT_FLAGS, "csi4j.file.v1.MountTerms.mount_flags")
                .count(
                        InputLimit.FLAGS,
                        "csi4j.file.v1.TargetFlags.flags",
                        "csi4j.values.v1.OwnershipSettings.excludes")
                .build();
        ValuesProto.Entry.Builder entry =
                ValuesProto.Entry.newBuilder().setKey("k").setValue("x".repeat(2_047));
        FileProto.MountTerms.Builder terms =
                FileProto.MountTerms.newBuilder().addPublishContext(entry).addPublishContext(entry);
        assertThat(limits.excess(terms.build())).isEmpty();
        terms.addPublishContext(ValuesProto.Entry.newBuilder().setKey("k"));
        assertThat(limits.excess(terms.build()))
                .contains(new FieldLimits.Excess("publishContext", InputLimit.MAP.problem(4_097)));
    }

    @Test
    void bytesNeedDeclaredLimit() {
        FieldLimits.Builder limits = FieldLimits.of(List.of(BytesValue.getDescriptor()));
        assertThatThrownBy(limits::build)
                .hasMessage("google.protobuf.BytesValue.value has bytes without a limit; declare one");
        FieldLimits declared = limits.value(InputLimit.ATTEMPT, "google.protobuf.BytesValue.value")
                .build();
        assertThat(declared.excess(BytesValue.of(ByteString.copyFrom(new byte[64]))))
                .isEmpty();
        assertThat(declared.excess(BytesValue.of(ByteString.copyFrom(new byte[65]))))
                .contains(new FieldLimits.Excess("value", InputLimit.ATTEMPT.problem(65)));
    }

    @Test
    void limitOfUnknownFieldAndUnknownMessageAreRefused() {
        assertThatThrownBy(() -> FieldLimits.of(List.of(GetPluginInfoRequest.getDescriptor()))
                        .value(InputLimit.STRING, "csi.v1.Missing.text")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limits: no message has the fields [] and [csi.v1.Missing.text]");
        assertThatThrownBy(() -> FieldLimits.of(List.of(GetPluginInfoRequest.getDescriptor()))
                        .count(InputLimit.NODES, "csi.v1.Missing.list")
                        .build())
                .hasMessage("limits: no message has the fields [csi.v1.Missing.list] and []");
        assertThatThrownBy(() -> AnswerLimits.check(GetPluginInfoRequest.getDefaultInstance()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("csi.v1.GetPluginInfoRequest is no message that arrives");
    }
}
