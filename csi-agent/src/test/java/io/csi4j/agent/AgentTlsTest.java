package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers and agents over TCP, with certificates on both sides. */
@Timeout(180)
class AgentTlsTest {
    private static final Duration QUERY = Duration.ofSeconds(5);

    @TempDir
    static Path directory;

    private static Certificates certificates;
    private static Path trusted;

    private Ground ground;
    private ScriptedPlugin plugin;
    private Endpoint agentAt;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new Certificates(directory);
        certificates.make("server", "csi4j://server");
        certificates.make("node1", "csi4j://node/node-1");
        certificates.make("node2", "csi4j://node/node-2");
        certificates.make("nobody", "csi4j://guest");
        certificates.make("stranger", "csi4j://server");
        trusted = certificates.trusting("trusted.pem", "server", "node1", "node2", "nobody");
    }

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
    }

    @AfterEach
    void stop() throws Exception {
        ground.close();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Endpoint at(int port, String who) {
        return Endpoint.remote("tcp://localhost:" + port, certificates.of(who, trusted));
    }

    private int agent(String certificate, Endpoint server) throws Exception {
        int port = freePort();
        var agent = ground.start(ground.agent(at(port, certificate), server));
        plugin = ground.plugin(agent);
        return port;
    }

    private CompletableFuture<?> deleting(Endpoint agent) {
        agentAt = agent;
        RemoteNodeGateway gateway = RemoteNodeGateway.builder(node -> Optional.of(NodeRoute.direct(agentAt)))
                .environment(ground.environment)
                .build();
        CompletableFuture<?> call = gateway.controller(MONOLITH)
                .deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                        .build());
        return call.whenComplete((done, failure) -> gateway.close());
    }

    @Test
    @Tag("versions")
    void clusterWorksWithCertificates() throws Exception {
        int serverPort = freePort();
        ground.start(ground.server().listen(at(serverPort, "server")));
        int agentPort = freePort();
        var agent = ground.start(ground.agent(at(agentPort, "node1"), at(serverPort, "node1")));
        plugin = ground.plugin(agent);
        ground.routes.put(NODE, NodeRoute.direct(at(agentPort, "server")));
        ground.knows(true);
        VolumeKey key = ground.volume("db");
        ground.running("web-1");

        assertThat(get(agent.prepare(AllocationId.of("web-1"), List.of(writing(key)))))
                .hasSize(1);

        // Other servers come by the same way.
        deletingThrough(at(serverPort, "server"));
    }

    private void deletingThrough(Endpoint server) throws Exception {
        RemoteNodeGateway far = RemoteNodeGateway.builder(node -> Optional.of(NodeRoute.via(server)))
                .environment(ground.environment)
                .build();
        try (far) {
            get(far.controller(MONOLITH)
                    .deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                            .build()));
        }
    }

    @Test
    @Tag("versions")
    void agentRefusesCallsFromPeersWithoutServerCertificate() throws Exception {
        int port = agent("node1", ground.unix("nowhere"));
        get(deleting(at(port, "server")));
        for (String other : List.of("node1", "node2", "nobody")) {
            CsiCallException refused = failure(deleting(at(port, other)), CsiCallException.class);
            assertThat(refused.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(refused).hasMessageContaining("obeys servers only").hasMessageContaining("CN=" + other);
        }
        Endpoint stranger = Endpoint.remote("tcp://localhost:" + port, certificates.of("stranger", trusted));
        assertThat(failure(deleting(stranger), CsiCallException.class).code()).isNotEqualTo(StatusCode.OK);
        assertThat(plugin.count("DeleteVolume")).isEqualTo(1);
    }

    /** Secrets go to the node that they are for, and to nobody who sits at its address. */
    @Test
    void serverRefusesAgentWithCertificateOfOtherNode() throws Exception {
        for (String other : List.of("node2", "nobody", "server")) {
            int port = agent(other, ground.unix("nowhere"));
            CsiCallException failure = failure(deleting(at(port, "server")), CsiCallException.class);
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure)
                    .hasMessageContaining("was not sent")
                    .hasMessageContaining("CN=" + other)
                    .hasMessageContaining("is not that of the agent of node node-1");
            assertThat(plugin.count("DeleteVolume")).isZero();
            ground.close();
            ground = new Ground();
        }
    }

    @Test
    void serverRefusesReportsAboutOtherNodes() throws Exception {
        int serverPort = freePort();
        ground.start(ground.server().listen(at(serverPort, "server")));
        // It says node-1, and its certificate says node-2.
        var agent = ground.start(ground.agent(ground.unix("agent-socket"), at(serverPort, "node2")));
        ground.plugin(agent);
        CompletableFuture<?> claim =
                agent.prepare(AllocationId.of("web-1"), List.of(writing(VolumeKey.of("default", "db"))));
        assertThat(failure(claim, io.csi4j.node.transport.RemoteFailureException.class))
                .hasMessageContaining("nodeId: CN=node2 (the agent of node node-2) speaks for node node-1");
        assertThat(ground.known()).isEmpty();
    }

    /** Who sits at a server's address and shows a node's certificate gets nothing and is believed nothing. */
    @Test
    void claimIsNotGrantedByServerThatPresentsCertificateOfNode() throws Exception {
        int port = freePort();
        ground.start(ground.server().listen(at(port, "node2")));
        var agent = ground.start(ground.agent(ground.unix("agent-socket"), at(port, "node1")));
        CompletableFuture<?> claim =
                agent.prepare(AllocationId.of("web-1"), List.of(writing(VolumeKey.of("default", "db"))));
        Instant end = Instant.now().plus(Ground.PATIENCE);
        while (!agent.status(AllocationId.of("web-1")).orElseThrow().reason().contains("is not that of the server")) {
            assertThat(Instant.now()).isBefore(end);
            Thread.onSpinWait();
        }
        assertThat(claim).isNotDone();
        claim.cancel(false);
    }

    @Test
    @Tag("versions")
    void certificatesAreReplacedWhileAgentRuns() throws Exception {
        certificates.make("old", "csi4j://node/node-1");
        certificates.make("new", "csi4j://node/node-1");
        certificates.make("server2", "csi4j://server");
        Path bundle = certificates.trusting("agents.pem", "server");
        int port = freePort();
        TlsOptions own = TlsOptions.builder()
                .trustedCertificates(bundle)
                .certificate(certificates.chain("old"), certificates.key("old"))
                .build();
        var agent = ground.start(ground.agent(Endpoint.remote("tcp://localhost:" + port, own), ground.unix("nowhere")));
        plugin = ground.plugin(agent);
        Path others = certificates.trusting("servers.pem", "new");
        Endpoint newWorld = Endpoint.remote("tcp://localhost:" + port, certificates.of("server2", others));
        assertThat(failure(deleting(newWorld), CsiCallException.class).code()).isNotEqualTo(StatusCode.OK);

        // What is looked after goes with its connections, and not before.
        System.gc();
        // Half of it, and broken: what was read before stays in force.
        Files.writeString(bundle, "half a certif");
        certificates.exchange("old", "new");
        certificates.trusting("agents.pem", "server", "server2");

        Instant end = Instant.now().plus(Ground.PATIENCE);
        while (true) {
            try {
                deleting(newWorld).get(20, TimeUnit.SECONDS);
                break;
            } catch (ExecutionException notYet) {
                assertThat(Instant.now()).as("%s", notYet.getCause()).isBefore(end);
            }
        }
        assertThat(plugin.count("DeleteVolume")).isEqualTo(1);
    }

    /** One file at a time is exchanged; those who come while only one has been are let in as before. */
    @ParameterizedTest
    @ValueSource(strings = {"certificate of another key", "no certificate", "nobody to trust"})
    void incompleteCertificateReplacementHasNoEffect(String half) throws Exception {
        String mine = "mine-" + half.replace(' ', '-');
        certificates.make(mine, "csi4j://server");
        Path bundle = certificates.trusting("callers.pem", "server");
        Path known = certificates.trusting("known.pem", mine);
        int port = freePort();
        VirtualTime time = VirtualTime.inOrder();
        TlsOptions own = TlsOptions.builder()
                .trustedCertificates(bundle)
                .certificate(certificates.chain(mine), certificates.key(mine))
                .build();
        Endpoint listen = ground.unix("agent-socket");
        plugin = ground.plugin(ground.start(ground.agent(listen, ground.unix("nowhere"))));
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server()
                .environment(ground.environment(time))
                .listen(Endpoint.remote("tcp://localhost:" + port, own)));
        time.awaitTimersDueIn(1, QUERY);

        switch (half) {
            case "no certificate" -> Files.writeString(certificates.chain(mine), "");
            case "nobody to trust" -> Files.writeString(bundle, "");
            default ->
                Files.copy(
                        certificates.chain("nobody"),
                        certificates.chain(mine),
                        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        time.advance(QUERY);
        // The next look is planned when this one is over.
        time.awaitTimersDueIn(1, QUERY);

        Endpoint server = Endpoint.remote("tcp://localhost:" + port, certificates.of("server", known));
        deletingThrough(server);
    }

    /** Certificates that are refused on the one side or the other, and routes with others in their place. */
    @Test
    void failedHandshakeLeavesNoConnectionOpen() throws Exception {
        int port = agent("node1", ground.unix("nowhere"));
        String target = "localhost:" + port;
        RemoteNodeGateway gateway = RemoteNodeGateway.builder(node -> Optional.of(NodeRoute.direct(agentAt)))
                .environment(ground.environment)
                .build();
        try (gateway) {
            for (String who : List.of("stranger", "nobody", "server", "node2", "server")) {
                agentAt = at(port, who);
                CompletableFuture<?> call = gateway.controller(MONOLITH)
                        .deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                                .build());
                if (who.equals("server")) {
                    get(call);
                } else {
                    assertThat(failure(call, CsiCallException.class).code()).isNotEqualTo(StatusCode.OK);
                }
                OpenChannels.await(target, 1);
            }
        }
        OpenChannels.await(target, 0);
        assertThat(plugin.count("DeleteVolume")).isEqualTo(2);
    }

    @Test
    void unprotectedTcpAddressIsRefused() throws Exception {
        assertThatThrownBy(() -> Endpoint.loopback("tcp://10.0.0.1:7001"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("endpoint: tcp://10.0.0.1:7001 is not a loopback address")
                .hasMessageContaining("use Endpoint.remote");
        assertThatThrownBy(() -> ground.server().listen(Endpoint.loopback("tcp://127.0.0.1:7001")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listen: tcp://127.0.0.1:7001 has no certificates")
                .hasMessageContaining("use Endpoint.remote");
        TlsOptions half = TlsOptions.builder().trustedCertificates(trusted).build();
        Endpoint bare = Endpoint.remote("tcp://localhost:" + freePort(), half);
        assertThatThrownBy(() -> ground.start(ground.agent(bare, ground.unix("nowhere"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tls: certificate is not set");
        TlsOptions wrong = TlsOptions.builder()
                .trustedCertificates(trusted)
                .certificate(certificates.key("node1"), certificates.key("node1"))
                .build();
        assertThatThrownBy(() ->
                        ground.start(ground.server().listen(Endpoint.remote("tcp://localhost:" + freePort(), wrong))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node1.key")
                .hasMessageContaining("cannot be used");
    }

    /** On this machine without certificates: the place itself says who calls. */
    @Test
    void loopbackNeedsNoCertificates() throws Exception {
        Endpoint servers = Endpoint.loopback("tcp://127.0.0.1:" + freePort());
        Endpoint listen = Endpoint.loopback("tcp://127.0.0.1:" + freePort());
        ground.start(ground.server().listenToAgent(servers, NODE));
        var agent = ground.start(ground.agent(listen, servers));
        plugin = ground.plugin(agent);
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.knows(true);
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        assertThat(get(agent.prepare(AllocationId.of("web-1"), List.of(writing(key)))))
                .hasSize(1);
    }
}
