package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.proto.csi.v1.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that are larger than a server or an agent accepts, and the setting for that. */
class AgentMessageSizeTest {
    private static final int SMALL = 2_000;
    private static final int ID_BYTES = 1_000;
    private static final int ABOVE_DEFAULT = 17 << 20;

    private Ground ground;
    private Endpoint listen;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    private NodeAgentBuilder agent() {
        return ground.agent(listen, ground.unix("nowhere"));
    }

    private RemoteNodeGatewayBuilder gateway(NodeRoute way) {
        return RemoteNodeGateway.builder(node -> Optional.of(way)).environment(ground.environment);
    }

    /** With 3,000 bytes of parameters. */
    private static CompletableFuture<CreateVolumeResponse> creating(RemoteNodeGateway gateway) {
        return gateway.controller(MONOLITH)
                .createVolume(CreateVolumeRequest.builder(
                                "vol-1", List.of(VolumeCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER)))
                        .parameters(Map.of("k", "v".repeat(3_000)))
                        .build());
    }

    private static CompletableFuture<ListVolumesResponse> listing(RemoteNodeGateway gateway) {
        return gateway.controller(MONOLITH)
                .listVolumes(ListVolumesRequest.builder().build());
    }

    /** The plugin lists volumes whose ids have a thousand bytes each. */
    private static void answersLists(ScriptedPlugin plugin, int bytes) {
        var page = io.csi4j.proto.csi.v1.ListVolumesResponse.newBuilder();
        for (int i = 0; i < bytes / ID_BYTES; i++) {
            page.addEntries(io.csi4j.proto.csi.v1.ListVolumesResponse.Entry.newBuilder()
                    .setVolume(Volume.newBuilder().setVolumeId("x".repeat(ID_BYTES))));
        }
        plugin.on("ListVolumes", (request, out) -> ScriptedPlugin.ok(out, page.build()));
    }

    @Test
    void requestAboveAgentLimitIsRefused() throws Exception {
        ScriptedPlugin plugin = ground.plugin(ground.start(agent().maxInboundMessageSize(SMALL)));
        CsiCallException failed = failure(creating(ground.gateway), CsiCallException.class);
        assertThat(failed.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failed)
                .hasMessageMatching("the agent of node node-1 at .* was asked for CreateVolume for vol-1: the message"
                        + " has 3\\d{3} bytes, and the other side accepts 2000; raise maxInboundMessageSize there, of"
                        + " the builder of its NodeAgent or AgentServer\\. The call was not served, so it changed"
                        + " nothing: call again once that is done\\.");
        assertThat(plugin.count("CreateVolume")).isZero();
    }

    @Test
    void callWithResponseAboveServerLimitHasUnknownOutcome() throws Exception {
        ScriptedPlugin plugin = ground.plugin(ground.start(agent()));
        answersLists(plugin, 3_000);
        plugin.on(
                "CreateVolume",
                (request, out) -> ScriptedPlugin.ok(
                        out,
                        io.csi4j.proto.csi.v1.CreateVolumeResponse.newBuilder()
                                .setVolume(Volume.newBuilder()
                                        .setVolumeId("vol-1")
                                        .putVolumeContext("k", "v".repeat(3_000)))
                                .build()));
        try (RemoteNodeGateway gateway =
                gateway(NodeRoute.direct(listen)).maxInboundMessageSize(SMALL).build()) {
            CsiCallException listed = failure(listing(gateway), CsiCallException.class);
            assertThat(listed.code()).isEqualTo(StatusCode.UNKNOWN);
            assertThat(listed)
                    .hasMessageMatching(".* was asked for ListVolumes: the answer has 30\\d{2} bytes, and this side"
                            + " accepts 2000; raise maxInboundMessageSize here, of the builder of the"
                            + " RemoteNodeGateway or NodeAgent\\. .*");

            CsiCallException created = failure(creating(gateway), CsiCallException.class);
            assertThat(created.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(created).hasMessageContaining("Whether it took effect is not known");
        }
        assertThat(plugin.count("CreateVolume")).isEqualTo(1);
        assertThat(get(listing(ground.gateway)).entries()).hasSize(3);
    }

    @Test
    void messageLimitIs16MiBByDefaultAndCanBeRaised() throws Exception {
        ScriptedPlugin plugin = ground.plugin(ground.start(
                agent().clients(client -> client.retries(RetryOptions.none()).maxInboundMessageSize(32 << 20))));
        answersLists(plugin, ABOVE_DEFAULT);
        assertThat(failure(listing(ground.gateway), CsiCallException.class))
                .hasMessageContaining("and this side accepts 16777216; raise maxInboundMessageSize here");
        try (RemoteNodeGateway gateway = gateway(NodeRoute.direct(listen))
                .maxInboundMessageSize(32 << 20)
                .build()) {
            assertThat(get(listing(gateway)).entries()).hasSize(ABOVE_DEFAULT / ID_BYTES);
        }
    }

    @Test
    void forwardingServerHasItsOwnMessageLimit() throws Exception {
        ScriptedPlugin plugin = ground.plugin(ground.start(agent()));
        Endpoint server = ground.unix("server-socket");
        ground.start(ground.server().listenToServers(server).maxInboundMessageSize(SMALL));
        try (RemoteNodeGateway gateway = gateway(NodeRoute.via(server)).build()) {
            assertThat(failure(creating(gateway), CsiCallException.class))
                    .hasMessageMatching("the server at .* was asked for CreateVolume for vol-1: the message has 3\\d{3}"
                            + " bytes, and the other side accepts 2000; raise maxInboundMessageSize there, .*");
        }
        assertThat(plugin.count("CreateVolume")).isZero();
    }

    @Test
    void errorContainsMessageLimitOfAgentBehindForwardingServer() throws Exception {
        ScriptedPlugin plugin = ground.plugin(ground.start(agent().maxInboundMessageSize(SMALL)));
        Endpoint server = ground.unix("server-socket");
        ground.start(ground.server().listenToServers(server));
        try (RemoteNodeGateway gateway = gateway(NodeRoute.via(server)).build()) {
            CsiCallException failed = failure(creating(gateway), CsiCallException.class);
            assertThat(failed.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failed)
                    .hasMessageContainingAll(
                            "the agent of node node-1 at ",
                            "the other side accepts 2000; raise maxInboundMessageSize there");
        }
        assertThat(plugin.count("CreateVolume")).isZero();
    }

    @Test
    void messageLimitBelowOneByteIsRefused() {
        assertThatThrownBy(() -> agent().maxInboundMessageSize(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxInboundMessageSize: 0");
        assertThatThrownBy(() -> ground.server().maxInboundMessageSize(-1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> gateway(NodeRoute.direct(listen)).maxInboundMessageSize(0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
