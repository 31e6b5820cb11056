package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.client.internal.limit.AnswerLimits;
import io.csi4j.client.internal.limit.FieldLimits;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CreatedVolumeException;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.proto.csi.v1.ControllerGetVolumeResponse;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each text, map and list in a response of a plugin has a limit. */
class AnswerLimitsTest {
    private static final List<String> IDS =
            List.of("volume_id", "snapshot_id", "source_volume_id", "group_snapshot_id", "next_token");
    private static final List<String> TEXTS = List.of("message", "reason");

    @TempDir
    Path dir;

    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws IOException {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.ok(new byte[0]));
        client = CsiClient.builder(Endpoint.parse("unix://" + socket))
                .plugin("csi.example.com")
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    /**
     * A response with one field beyond its limit.
     *
     * @param small whether the response is small enough for a test with a socket
     */
    record Case(Rpc rpc, String field, String problem, DynamicMessage answer, boolean small) {
        @Override
        public String toString() {
            return rpc.csiName() + " " + field + " " + problem;
        }
    }

    /** Returns one case for each limit of each field, found by the descriptors. */
    private static List<Case> cases(Rpc rpc) {
        List<Case> cases = new ArrayList<>();
        for (int variant = 0; variant < 2; variant++) {
            DynamicMessage whole = (DynamicMessage) Filled.message(rpc.csiName() + "Response", variant);
            for (Variant each : variants(whole)) {
                cases.add(new Case(rpc, each.field, each.problem, each.message, each.small));
            }
        }
        return cases;
    }

    private record Variant(String field, String problem, DynamicMessage message, boolean small) {
        Variant inside(String outer, DynamicMessage message) {
            return new Variant(outer + "." + field, problem, message, small);
        }
    }

    private static List<Variant> variants(DynamicMessage message) {
        List<Variant> all = new ArrayList<>();
        message.getAllFields().forEach((field, value) -> {
            String name = field.getJsonName();
            if (field.isMapField()) {
                int limit = field.getName().equals("segments") ? 63 : 4_096;
                all.add(variant(name, "and at most " + limit, message, field, List.of(entry(field, limit + 1))));
                if (limit == 63) {
                    List<Message> many = new ArrayList<>();
                    for (int i = 0; i < 70; i++) {
                        many.add(entry(field, "key" + i, 60));
                    }
                    all.add(variant(name, "and at most 4096", message, field, many));
                }
            } else if (field.isRepeated()) {
                int count = count(field);
                Object element = message.getRepeatedField(field, 0);
                Object least =
                        element instanceof Message ? DynamicMessage.getDefaultInstance(field.getMessageType()) : "";
                all.add(variant(
                        name,
                        "has " + (count + 1) + " elements, and at most " + count,
                        message,
                        field,
                        Collections.nCopies(count + 1, least)));
                if (element instanceof DynamicMessage inner) {
                    for (Variant each : variants(inner)) {
                        all.add(each.inside(
                                name + "[0]",
                                message.toBuilder()
                                        .setRepeatedField(field, 0, each.message)
                                        .build()));
                    }
                } else if (field.getJavaType() == JavaType.STRING) {
                    boolean flags = field.getName().equals("mount_flags");
                    int limit = flags ? 4_096 : 256;
                    all.add(variant(
                            flags ? name : name + "[0]",
                            "and at most " + limit,
                            message,
                            field,
                            List.of("x".repeat(limit + 1))));
                }
            } else if (value instanceof DynamicMessage inner) {
                for (Variant each : variants(inner)) {
                    all.add(each.inside(
                            name,
                            message.toBuilder().setField(field, each.message).build()));
                }
            } else if (field.getJavaType() == JavaType.STRING && !TEXTS.contains(field.getName())) {
                int limit = limit(field);
                all.add(new Variant(
                        name,
                        "has " + (limit + 1) + " bytes, and at most " + limit,
                        message.toBuilder()
                                .setField(field, "x".repeat(limit + 1))
                                .build(),
                        true));
            } else if (field.getJavaType() == JavaType.BYTE_STRING) {
                throw new AssertionError(field + " has bytes; give the test a case for it");
            }
        });
        return all;
    }

    private static Variant variant(
            String name, String problem, DynamicMessage message, FieldDescriptor field, List<?> elements) {
        return new Variant(
                name, problem, message.toBuilder().setField(field, elements).build(), elements.size() < 200);
    }

    private static Message entry(FieldDescriptor field, int bytes) {
        return entry(field, "k", bytes);
    }

    private static Message entry(FieldDescriptor field, String key, int bytes) {
        return DynamicMessage.newBuilder(field.getMessageType())
                .setField(field.getMessageType().findFieldByNumber(1), key)
                .setField(field.getMessageType().findFieldByNumber(2), "x".repeat(bytes))
                .build();
    }

    private static int limit(FieldDescriptor field) {
        if (IDS.contains(field.getName())) {
            return 1_024;
        }
        return switch (field.getName()) {
            case "node_id" -> 256;
            case "name" -> 63;
            default -> 128;
        };
    }

    private static int count(FieldDescriptor field) {
        return switch (field.getName()) {
            case "capabilities", "volume_capabilities" -> 200;
            case "accessible_topology", "mount_flags" -> 1_000;
            case "usage", "health_statuses", "backend_health" -> 1_000;
            case "entries" -> 100_000;
            case "snapshots", "published_node_ids" -> 10_000;
            case "block_metadata" -> 500_000;
            default -> throw new AssertionError(field + " is a list without a limit");
        };
    }

    @ParameterizedTest
    @EnumSource
    void eachFieldBeyondItsLimitIsRefusedWithItsNameSizeAndLimit(Rpc rpc) {
        for (Case each : cases(rpc)) {
            assertThatThrownBy(() -> AnswerLimits.check(each.answer))
                    .as("%s", each)
                    .hasMessageStartingWith(each.field + " ")
                    .hasMessageContaining(each.problem);
        }
    }

    @ParameterizedTest
    @EnumSource
    void responseWithinLimitsIsAccepted(Rpc rpc) {
        for (int variant = 0; variant < 2; variant++) {
            Message answer = Filled.message(rpc.csiName() + "Response", variant);
            assertThatCode(() -> AnswerLimits.check(answer)).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @EnumSource
    void callWithResponseBeyondLimitFailsAndItsOutcomeIsUnknownIfItChangesSomething(Rpc rpc) {
        for (Case each : cases(rpc)) {
            if (!each.small) {
                continue;
            }
            plugin.behave(call -> call.ok(each.answer.toByteArray()));
            CsiCallException failure = Wire.failure(EveryRpc.call(client, rpc, FilledRequests.of(rpc, 0)));
            assertThat(failure)
                    .as("%s", each)
                    .hasMessageContaining("the plugin answered OK, but its answer cannot be used: " + each.field + " ")
                    .hasMessageContaining(each.problem);
            assertThat(failure.summary()).contains(each.field).contains(each.problem);
            assertThat(failure.outcome())
                    .isEqualTo(rpc.changesState() ? CallOutcome.OUTCOME_UNKNOWN : CallOutcome.RETRY_AFTER_CAUSE);
        }
    }

    @Test
    void idOfCreatedVolumeIsKnownAlthoughItsContextIsTooLarge() {
        Volume volume = Volume.newBuilder()
                .setVolumeId("vol-1")
                .putVolumeContext("k", "x".repeat(5_000))
                .build();
        plugin.behave(call ->
                call.ok(CreateVolumeResponse.newBuilder().setVolume(volume).build()));

        CsiCallException failure = Wire.failure(Wire.createVolume(client));

        assertThat(failure.getCause())
                .isInstanceOfSatisfying(
                        CreatedVolumeException.class,
                        created -> assertThat(created.volumeId()).isEqualTo(ExternalVolumeId.of("vol-1")));
        assertThat(failure).hasMessageContaining("the plugin has the volume as vol-1");
    }

    @Test
    @SuppressWarnings("deprecation") // told by plugins until CSI 1.12
    void longTextForPeopleIsCut() {
        plugin.behave(call -> call.ok(ControllerGetVolumeResponse.newBuilder()
                .setVolume(Volume.newBuilder().setVolumeId("vol-1"))
                .setStatus(ControllerGetVolumeResponse.VolumeStatus.newBuilder()
                        .setVolumeCondition(VolumeCondition.newBuilder().setMessage("x".repeat(100_000))))
                .build()));

        var answer = (io.csi4j.core.rpc.ControllerGetVolumeResponse) Wire.get(
                EveryRpc.call(client, Rpc.CONTROLLER_GET_VOLUME, FilledRequests.of(Rpc.CONTROLLER_GET_VOLUME, 0)));

        String text =
                answer.status().orElseThrow().volumeCondition().orElseThrow().message();
        assertThat(text).hasSizeLessThan(1_100).endsWith("... (cut; it had 100000 characters)");
    }

    @Test
    void listWithoutDeclaredLimitIsNoticed() {
        Descriptor message = Filled.descriptor("VolumeGroupSnapshot");
        assertThatThrownBy(() -> FieldLimits.of(List.of(message)).build())
                .hasMessage("csi.v1.VolumeGroupSnapshot.snapshots is a list without a limit; declare one");
    }
}
