package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.node.internal.codec.AgentLimits;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.Acknowledgement;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Fingerprint;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.AgentProto.Instance;
import io.csi4j.proto.agent.v1.AgentProto.PluginType;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.proto.values.v1.ValuesProto.Entry;
import io.csi4j.proto.values.v1.ValuesProto.NodeInfo;
import io.csi4j.proto.values.v1.ValuesProto.Time;
import io.csi4j.proto.values.v1.ValuesProto.Topology;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each text, map, list and message that agents and servers send to each other has a limit. */
class AgentLimitsTest {
    /** Returns the types of all messages of the protocol, from its services. */
    static Stream<Descriptor> messages() {
        return Stream.concat(
                        AgentGrpc.getServiceDescriptor().getMethods().stream(),
                        ServersGrpc.getServiceDescriptor().getMethods().stream())
                .flatMap(AgentLimitsTest::types)
                .distinct();
    }

    private static Stream<Descriptor> types(MethodDescriptor<?, ?> method) {
        var described = ((ProtoMethodDescriptorSupplier) Objects.requireNonNull(method.getSchemaDescriptor()))
                .getMethodDescriptor();
        return Stream.of(described.getInputType(), described.getOutputType());
    }

    /** A message with one field beyond its limit, in the outermost message of the path. */
    private record Case(String field, String problem, Message message) {
        Case inside(FieldDescriptor outer, Descriptor type) {
            DynamicMessage.Builder whole = DynamicMessage.newBuilder(type);
            if (outer.isRepeated()) {
                whole.addRepeatedField(outer, message);
            } else {
                whole.setField(outer, message);
            }
            String name = outer.getJsonName() + (outer.isRepeated() ? "[0]" : "");
            return new Case(name + "." + field, problem, whole.build());
        }
    }

    private static List<Case> cases(Descriptor type) {
        List<Case> cases = new ArrayList<>();
        for (FieldDescriptor field : type.getFields()) {
            if (isMap(field)) {
                int limit = mapLimit(field);
                cases.add(new Case(
                        field.getJsonName(), "at most " + limit, with(type, field, List.of(entry(field, limit + 1)))));
                continue;
            }
            if (field.isRepeated()) {
                int count = count(field);
                cases.add(new Case(
                        field.getJsonName(),
                        "has " + (count + 1) + " elements, and at most " + count,
                        with(type, field, Collections.nCopies(count + 1, least(field)))));
            }
            if (field.getJavaType() == JavaType.MESSAGE) {
                cases(field.getMessageType()).forEach(each -> cases.add(each.inside(field, type)));
            } else if (field.getJavaType() == JavaType.STRING) {
                cases.add(value(type, field));
            }
        }
        return cases;
    }

    private static boolean isMap(FieldDescriptor field) {
        return field.isMapField()
                || (field.getJavaType() == JavaType.MESSAGE
                        && field.getMessageType().getName().equals("Entry"));
    }

    private static Case value(Descriptor type, FieldDescriptor field) {
        int limit = limit(field);
        Object value = "x".repeat(limit + 1);
        boolean total = field.getName().equals("mount_flags");
        return new Case(
                field.getJsonName() + (field.isRepeated() && !total ? "[0]" : ""),
                "has " + (limit + 1) + " bytes, and at most " + limit,
                with(type, field, field.isRepeated() ? List.of(value) : value));
    }

    private static Message with(Descriptor type, FieldDescriptor field, Object value) {
        return DynamicMessage.newBuilder(type).setField(field, value).build();
    }

    private static Object least(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case MESSAGE -> DynamicMessage.getDefaultInstance(field.getMessageType());
            case STRING -> "";
            case BYTE_STRING -> ByteString.EMPTY;
            default -> 0;
        };
    }

    private static Message entry(FieldDescriptor field, int bytes) {
        return DynamicMessage.newBuilder(field.getMessageType())
                .setField(field.getMessageType().findFieldByNumber(1), "k")
                .setField(field.getMessageType().findFieldByNumber(2), "x".repeat(bytes))
                .build();
    }

    private static int mapLimit(FieldDescriptor field) {
        return field.getName().equals("segments") ? 63 : 4_096;
    }

    private static int count(FieldDescriptor field) {
        return switch (field.getName()) {
            case "messages" -> 10_000;
            case "uses", "unclear" -> 100_000;
            case "volumes" -> field.getContainingType().getName().equals("NodeReport") ? 100_000 : 1_000;
            case "problems", "mount_flags", "audiences", "excludes" -> 1_000;
            case "instances", "plugins" -> 256;
            case "numbers", "requested_capabilities" -> 200;
            default -> throw new AssertionError(field + " is a list without a limit");
        };
    }

    private static int limit(FieldDescriptor field) {
        return switch (field.getName()) {
            case "external_volume_id" -> 1_024;
            case "volume" -> 1_024;
            case "external_node_id", "expected", "present" -> 256;
            case "attempt" -> 64;
            case "mount_flags" -> 4_096;
            case "message",
                    "summary",
                    "field",
                    "problem",
                    "remedy",
                    "detail",
                    "audiences",
                    "excludes",
                    "caller",
                    "operator",
                    "health_description",
                    "waiting_for",
                    "last_error",
                    "staging_problem" -> 65_536;
            case "reason" -> field.getContainingType().getName().equals("NotAdmitted") ? 128 : 65_536;
            default -> 128;
        };
    }

    @ParameterizedTest
    @MethodSource("messages")
    void eachFieldBeyondItsLimitIsRefusedWithItsNameSizeAndLimit(Descriptor type) {
        for (Case each : cases(type)) {
            assertThat(AgentLimits.problem(each.message))
                    .as("%s of %s", each.field, type.getName())
                    .hasValueSatisfying(problem ->
                            assertThat(problem).startsWith(each.field + " ").contains(each.problem));
        }
    }

    private static Fingerprint.Builder plugin(String id) {
        Time time = Time.newBuilder().setSeconds(1_000).build();
        return Fingerprint.newBuilder()
                .setInstance(Instance.newBuilder().setPluginId(id).setType(PluginType.PLUGIN_TYPE_NODE))
                .setHealthy(true)
                .setStartedAt(time)
                .setUpdatedAt(time)
                .setNodeInfo(NodeInfo.newBuilder().setExternalNodeId("ext-" + id));
    }

    @Test
    void attemptIdOfTwelveMegabytesIsRefusedAndServerGoesOn() throws Exception {
        try (Ground ground = new Ground()) {
            Endpoint address = ground.unix("server");
            ground.start(ground.server().listenToAgent(address, NODE));
            try (RawPeer raw = RawPeer.calling(address.path().orElseThrow())) {
                CancelClaimCall.Builder call = CancelClaimCall.newBuilder()
                        .setVersion(RawPeer.VERSION)
                        .setNodeId(NODE.value())
                        .setAllocationId("web-1");
                Acknowledgement refused = raw.call(
                        ServersGrpc.getCancelClaimMethod(),
                        call.setAttempt("x".repeat(12_000_000)).build());
                assertThat(refused.getFailure().getMessage())
                        .isEqualTo("attempt has 12000000 bytes, and at most 64 are accepted (of csi4j); the message is"
                                + " refused");
                Acknowledgement served = raw.call(
                        ServersGrpc.getCancelClaimMethod(),
                        call.setAttempt("a1").build());
                assertThat(served.hasFailure()).as("%s", served).isFalse();
            }
        }
    }

    @Test
    void pluginWithHugeTopologyIsShownAsUnhealthyAndOtherPluginsOfNodeAsTheyAre() throws Exception {
        try (Ground ground = new Ground()) {
            Endpoint address = ground.unix("server");
            ground.start(ground.server().listenToAgent(address, NODE));
            Fingerprint.Builder huge = plugin("huge");
            try (RawPeer raw = RawPeer.calling(address.path().orElseThrow())) {
                reported(raw, huge);
                huge.getNodeInfoBuilder()
                        .setAccessibleTopology(Topology.newBuilder()
                                .addSegments(Entry.newBuilder().setKey("zone").setValue("z".repeat(5_000_000))));
                reported(raw, huge, plugin("small"));
            }
            PluginInstance small = instance(ground, "small");
            assertThat(small.healthy()).isTrue();
            assertThat(small.nodeInfo()).isPresent();
            PluginInstance refused = instance(ground, "huge");
            assertThat(refused.healthy()).isFalse();
            assertThat(refused.healthDescription())
                    .isEqualTo("the facts of this plugin are refused: nodeInfo.accessibleTopology.segments has 5000004"
                            + " bytes, and at most 4096 are accepted (R16)");
        }
    }

    private static void reported(RawPeer raw, Fingerprint.Builder... plugins) {
        FingerprintRequest.Builder report = FingerprintRequest.newBuilder()
                .setVersion(RawPeer.VERSION)
                .setNodeId(NODE.value())
                .setAt(Time.newBuilder().setSeconds(1_000));
        for (Fingerprint.Builder plugin : plugins) {
            report.addInstances(plugin);
        }
        FingerprintAnswer answer = raw.call(ServersGrpc.getFingerprintMethod(), report.build());
        assertThat(answer.hasFailure()).as("%s", answer).isFalse();
    }

    private static PluginInstance instance(Ground ground, String plugin) {
        List<PluginInstance> instances = new ArrayList<>();
        ground.store.snapshot().instancesOf(PluginId.of(plugin)).forEach(instances::add);
        assertThat(instances).hasSize(1);
        return instances.get(0);
    }
}
