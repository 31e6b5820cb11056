package io.csi4j.agent;

import static io.csi4j.agent.Ground.PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.csi4j.client.Endpoint;
import io.csi4j.client.RequestLog;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.Instance;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.proto.agent.v1.AgentProto.PluginType;
import io.csi4j.proto.agent.v1.AgentProto.Problem;
import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.TopologyRequirement;
import io.csi4j.proto.csi.v1.VolumeCapability;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R16 to R25 at the agent: a hand-made request that breaks a rule does not get to the plugin, whoever sent it. */
class AgentRequestsTest {
    private static final String CANARY = "canary-4711";

    private Ground ground;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private ScriptedPlugin plugin;
    private RawPeer server;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        plugin = ground.plugin(ground.start(ground.agent(listen, ground.unix("nowhere"))
                .clients(client -> client.retries(RetryOptions.none()).requestLog(RequestLog.to(lines::add)))));
        server = RawPeer.calling(listen.path().orElseThrow());
    }

    @AfterEach
    void stop() {
        server.close();
        ground.close();
    }

    private AgentAnswer call(String rpc, Message request) {
        return server.call(AgentCall.newBuilder()
                .setPlugin(PluginCall.newBuilder()
                        .setInstance(Instance.newBuilder()
                                .setPluginId(PLUGIN.value())
                                .setType(PluginType.PLUGIN_TYPE_MONOLITH))
                        .setRpc(rpc)
                        .setRequest(request.toByteString())));
    }

    private Failure refused(String rpc, Message request) {
        Failure failure = call(rpc, request).getFailure();
        assertThat(failure.getKind()).isEqualTo(FailureKind.FAILURE_KIND_REQUEST);
        assertThat(failure.getOrigin()).isEqualTo(Origin.ORIGIN_AGENT);
        assertThat(failure.getNotSent()).isTrue();
        assertThat(failure.getRetryable()).isFalse();
        assertThat(failure.getMessage()).startsWith(rpc + "Request was refused, nothing was sent: ");
        assertThat(failure.toString()).doesNotContain(CANARY);
        assertThat(plugin.calls).noneMatch(call -> call.rpc().equals(rpc));
        return failure;
    }

    @Test
    void errorForInvalidRequestContainsFieldAndRemedy() {
        Failure failure = refused(
                "CreateVolume",
                CreateVolumeRequest.newBuilder()
                        .setName("bell\u0007")
                        .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(-5))
                        .putSecrets("pass word", CANARY)
                        .setAccessibilityRequirements(TopologyRequirement.newBuilder()
                                .addRequisite(Topology.newBuilder().putSegments("Zone/a", "z1")))
                        .build());
        assertThat(failure.getProblemsList())
                .extracting(Problem::getField)
                .containsExactly(
                        "capacityRange.requiredBytes",
                        "name",
                        "volumeCapabilities",
                        "secrets",
                        "accessibilityRequirements.requisite[0]");
        assertThat(failure.getProblems(0).getProblem()).isEqualTo("is -5");
        assertThat(failure.getProblems(0).getRemedy()).isEqualTo("use 0 or more (R23)");
        assertThat(failure.getMessage()).contains("capacityRange.requiredBytes is -5 (use 0 or more (R23))");
    }

    @Test
    void errorForMissingFieldContainsFieldName() {
        assertThat(refused("DeleteVolume", DeleteVolumeRequest.getDefaultInstance())
                        .getProblemsList())
                .extracting(Problem::getField)
                .containsExactly("volumeId");
        assertThat(refused(
                                "ControllerPublishVolume",
                                ControllerPublishVolumeRequest.newBuilder()
                                        .setVolumeId("vol-1")
                                        .setNodeId("i-1")
                                        .setVolumeCapability(VolumeCapability.getDefaultInstance())
                                        .build())
                        .getProblemsList())
                .extracting(Problem::getField)
                .containsExactly("volumeCapability.accessType", "volumeCapability.accessMode");
    }

    @Test
    void validRequestReachesPlugin() throws Exception {
        DeleteVolumeRequest request = DeleteVolumeRequest.newBuilder()
                .setVolumeId("vol-1")
                .putSecrets("token", CANARY)
                .build();
        AgentAnswer answer = call("DeleteVolume", request);
        assertThat(answer.getResultCase()).isEqualTo(AgentAnswer.ResultCase.RESPONSE);
        assertThat(answer.getResponse()).isEqualTo(ByteString.EMPTY);
        assertThat(plugin.next("DeleteVolume").request()).isEqualTo(request);
    }

    /** The agent makes the call, so its client has the log; whoever asked for it. */
    @Test
    void agentRequestLogContainsServerRequests() {
        call(
                "DeleteVolume",
                DeleteVolumeRequest.newBuilder()
                        .setVolumeId("vol-1")
                        .putSecrets("token", CANARY)
                        .build());
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .contains("DeleteVolume for vol-1 at plugin ebs is sent with a deadline of ")
                        .endsWith(": {volumeId: \"vol-1\", secrets: [hidden]}"))
                .anySatisfy(line -> assertThat(line).contains("DeleteVolume for vol-1 at plugin ebs ended with OK "))
                .noneSatisfy(line -> assertThat(line).contains(CANARY));
    }
}
