package io.csi4j.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.RelayedCall;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.proto.agent.v1.AgentProto.DetachCall;
import io.csi4j.proto.agent.v1.AgentProto.HostMessage;
import io.csi4j.proto.agent.v1.AgentProto.VolumeUse;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of value arrives with all its fields, and unusable bytes are refused with the reason. */
class TransportCodecTest {
    /** Fields that have no value of their own: the first is computed, the others are not in any report of a node. */
    private static final Set<String> EXEMPT = Set.of(
            // Excludes an interval, which the sample has; mountWithTokensOnceArrives has it.
            "RepublishOptions.onlyAtMount",
            // Excludes the names, which the sample has; mountOfFixedOwnershipArrives has it.
            "OwnershipSettings.fixed",
            "NodeMount.numberProposed",
            "Capabilities.groupController",
            "CsiCallException.cause",
            "RelayedRequest.call");

    private static final UnknownFieldSet NEWER = UnknownFieldSet.newBuilder()
            .addField(777, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();

    /** Returns the constants of the class. */
    static Stream<TransportCodec<Object>> codecs() throws IllegalAccessException {
        List<TransportCodec<Object>> found = new ArrayList<>();
        for (var field : TransportCodec.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == TransportCodec.class) {
                @SuppressWarnings("unchecked")
                TransportCodec<Object> codec = (TransportCodec<Object>) field.get(null);
                found.add(codec);
            }
        }
        assertThat(found).hasSizeGreaterThan(15);
        return found.stream();
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void valueArrivesWithAllItsFields(TransportCodec<Object> codec) {
        Object sample = Samples.all().get(codec);
        assertThat(sample).as("the sample of the kind").isNotNull();
        if (!(sample instanceof Throwable)) {
            assertThat(Fields.withoutValue(sample, EXEMPT))
                    .as("fields without a value in the sample")
                    .isEmpty();
        }
        Object arrived = codec.decode(codec.encode(sample));
        assertThat(arrived)
                .usingRecursiveComparison()
                .ignoringFields("stackTrace")
                .withEqualsForType(TransportCodecTest::same, RelayedCall.class)
                .isEqualTo(sample);
    }

    private static boolean same(RelayedCall one, RelayedCall other) {
        return one.rpc() == other.rpc()
                && ByteString.copyFrom(one.message()).equals(ByteString.copyFrom(other.message()));
    }

    @Test
    void exampleOfThePackageEncodesAndDecodes() {
        NodeDetach request = (NodeDetach) Samples.all().get(TransportCodec.DETACH);
        Throwable failure = new NotLeadingException();
        // On the server.
        byte[] sent = TransportCodec.DETACH.encode(request);
        // On the node.
        NodeDetach received = TransportCodec.DETACH.decode(sent);
        byte[] answer = TransportCodec.FAILURE.encode(failure);
        assertThat(received).isEqualTo(request);
        assertThat(TransportCodec.FAILURE.decode(answer)).isInstanceOf(NotLeadingException.class);
    }

    @Test
    void mountWithTokensOnceArrives() {
        var once = Samples.mountWithTokensOnce();
        assertThat(TransportCodec.MOUNTS.decode(TransportCodec.MOUNTS.encode(List.of(once))))
                .usingRecursiveComparison()
                .isEqualTo(List.of(once));
    }

    @Test
    void mountOfFixedOwnershipArrives() {
        var fixed = Samples.mountOfFixedOwnership();
        assertThat(TransportCodec.MOUNTS.decode(TransportCodec.MOUNTS.encode(List.of(fixed))))
                .usingRecursiveComparison()
                .isEqualTo(List.of(fixed));
    }

    @Test
    void mountOfGrantWithoutTargetOfItsOwnHasTheFlagsOfItsStaging() {
        var plain = io.csi4j.node.NodeMount.builder(
                        new io.csi4j.node.NodeVolumeId(Samples.KEY, Samples.PLUGIN, Samples.EXTERNAL),
                        Samples.WEB,
                        Samples.WRITER)
                .mountOptions(Samples.OPTIONS)
                .build();
        var arrived = TransportCodec.MOUNTS.decode(TransportCodec.MOUNTS.encode(List.of(plain)));
        assertThat(arrived).usingRecursiveComparison().isEqualTo(List.of(plain));
    }

    @Test
    void mountWhoseNumberItsNodeDecidesIsRefused() {
        List<ClaimRequest> requests = Stream.of(ClaimMode.WRITE, ClaimMode.READ)
                .map(mode -> new ClaimRequest(Samples.KEY, mode, Samples.WRITER, MountOptions.none()))
                .toList();
        var proposed = List.copyOf(Samples.mount().forRequests(requests).values());
        assertThatThrownBy(() -> TransportCodec.MOUNTS.encode(proposed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("forRequests on the node");
    }

    private static void refused(TransportCodec<?> codec, byte[] encoded, String reason) {
        assertThatThrownBy(() -> codec.decode(encoded))
                .isInstanceOf(TransportFormatException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void bytesOfAnotherKindAreRefused() {
        refused(
                TransportCodec.DETACH,
                TransportCodec.EXPANSION.encode(new NodeExpansion(7)),
                "bytes for a DETACH cannot be used: it is of the kind EXPANDED");
    }

    @Test
    void kindOfNewerVersionIsRefused() {
        byte[] newer = HostMessage.newBuilder()
                .setFormat(1)
                .setUnknownFields(NEWER)
                .build()
                .toByteArray();
        refused(TransportCodec.DETACH, newer, "a newer version of csi4j encoded it, with kind 777 of HostMessage");
    }

    @Test
    void fieldOfNewerVersionIsRefusedAlsoInsideOfOtherValues() {
        byte[] newer = HostMessage.newBuilder()
                .setFormat(1)
                .setDetach(DetachCall.newBuilder().setUse(VolumeUse.newBuilder().setUnknownFields(NEWER)))
                .build()
                .toByteArray();
        refused(TransportCodec.DETACH, newer, "with field 777 of VolumeUse; upgrade this side first");
    }

    @Test
    void formatOfNewerVersionIsRefused() {
        byte[] newer =
                HostMessage.newBuilder().setFormat(2).setPluginId("ebs").build().toByteArray();
        refused(TransportCodec.PLUGIN, newer, "a newer version of csi4j encoded it in format 2");
    }

    @Test
    void bytesWithoutFormatAreRefused() {
        refused(TransportCodec.PLUGIN, new byte[0], "it has no format");
    }

    @Test
    void damagedBytesAreRefused() {
        refused(TransportCodec.PLUGIN, new byte[] {10}, "it is damaged");
    }

    @Test
    void valueThatBreaksARuleIsRefusedWithTheRule() {
        byte[] nameless =
                HostMessage.newBuilder().setFormat(1).setPluginId("").build().toByteArray();
        refused(TransportCodec.PLUGIN, nameless, "PluginId");
    }

    @Test
    void textBeyondItsLimitIsRefused() {
        byte[] large = HostMessage.newBuilder()
                .setFormat(1)
                .setDetach(
                        DetachCall.newBuilder().setUse(VolumeUse.newBuilder().setExternalVolumeId("x".repeat(1 << 20))))
                .build()
                .toByteArray();
        refused(TransportCodec.DETACH, large, "bytes, and at most");
    }

    @Test
    void tooManyBytesAreRefusedOnBothSides() {
        refused(TransportCodec.PLUGIN, new byte[TransportCodec.MAX_BYTES + 1], "at most 16777216 are read");
        var large = new io.csi4j.core.rpc.GetPluginInfoResponse(
                "ebs", "1", Map.of("x", "y".repeat(TransportCodec.MAX_BYTES)));
        assertThatThrownBy(() -> TransportCodec.PLUGIN_INFO.encode(large))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 16777216 are sent");
    }
}
