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
import io.csi4j.proto.agent.v1.AgentProto.Instance;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.proto.agent.v1.AgentProto.PluginType;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of servers at the agent, which sends them to its plugin as they are. */
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

    @Test
    void requestReachesPluginAsServerSentIt() throws Exception {
        DeleteVolumeRequest request = DeleteVolumeRequest.newBuilder()
                .setVolumeId("vol-1")
                .putSecrets("token", CANARY)
                .build();
        AgentAnswer answer = call("DeleteVolume", request);
        assertThat(answer.getResultCase()).isEqualTo(AgentAnswer.ResultCase.RESPONSE);
        assertThat(answer.getResponse()).isEqualTo(ByteString.EMPTY);
        assertThat(plugin.next("DeleteVolume").request()).isEqualTo(request);
    }

    /** The agent makes the call for each server, so the request log of its client has the call. */
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
