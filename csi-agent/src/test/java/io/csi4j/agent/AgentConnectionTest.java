package io.csi4j.agent;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.agent.spi.ServerContact;
import io.csi4j.agent.spi.ServerContact.State;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.state.StateScope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log, the agent and the server show the state of the connection between both. */
@Timeout(180)
class AgentConnectionTest {
    @TempDir
    static Path directory;

    private static Certificates certificates;
    private static Path trusted;

    private Ground ground;
    private LogCapture log;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new Certificates(directory);
        certificates.make("server", "csi4j://server");
        certificates.make("node1", "csi4j://node/node-1");
        certificates.make("node2", "csi4j://node/node-2");
        certificates.make("nobody", "csi4j://guest");
        certificates.make("stranger", "csi4j://node/node-1");
        trusted = certificates.trusting("trusted.pem", "server", "node1", "node2", "nobody");
    }

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        log = LogCapture.all();
    }

    @AfterEach
    void stop() {
        log.close();
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

    private NodeAgent agent(int server, String certificate) throws IOException {
        return ground.start(ground.agent(at(freePort(), "node1"), at(server, certificate)));
    }

    private int server() throws IOException {
        int port = freePort();
        ground.start(ground.server().listen(at(port, "server")));
        return port;
    }

    private void line(Predicate<String> fits) {
        await("the line in " + log.lines(), () -> log.lines().stream().anyMatch(fits));
    }

    private AgentConnection connection(Predicate<AgentConnection> fits) {
        await(
                "the connection of the node",
                () -> view().connection().filter(fits).isPresent());
        return view().connection().orElseThrow();
    }

    private NodeView view() {
        return get(ground.lifecycle.operator().nodes(NodeQuery.all())).items().stream()
                .filter(each -> each.node().id().equals(NODE))
                .findFirst()
                .orElseThrow();
    }

    private static ServerContact contact(NodeAgent agent, State state) {
        await(
                "state " + state + " in " + agent.servers(),
                () -> agent.servers().stream().anyMatch(each -> each.state() == state));
        return agent.servers().get(0);
    }

    @Test
    void connectAndDisconnectAreLoggedAndShownOnBothSides() throws Exception {
        int port = server();
        assertThat(view().connection()).isEmpty();
        NodeAgent agent = agent(port, "node1");

        assertThat(contact(agent, State.CONNECTED).since()).isPresent();
        line(line -> line.startsWith("INFO The agent of node node-1 is connected to the server at "));
        line(line -> line.startsWith("INFO Connected: CN=node1 (the agent of node node-1) from "));
        assertThat(connection(AgentConnection::connected).refusal()).isEmpty();

        agent.close();
        line(line -> line.startsWith("INFO Disconnected: CN=node1 (the agent of node node-1) from "));
        assertThat(connection(now -> !now.connected()).since()).isPresent();
        assertThat(log.lines()).noneMatch(line -> line.startsWith("WARNING"));
    }

    @Test
    void workThatSucceedsWritesNoLine() throws Exception {
        int agentPort = freePort();
        NodeAgent agent = ground.start(ground.agent(at(agentPort, "node1"), at(server(), "node1")));
        ground.plugin(agent);
        ground.routes.put(NODE, NodeRoute.direct(at(agentPort, "server")));
        get(ground.lifecycle.cluster().nodeReady(NODE));
        ground.knows(true);
        work(agent, "first", "web-1");
        line(line -> line.startsWith("INFO Plugin ebs has 1 controllers and 1 node instances healthy"));

        try (LogCapture second = LogCapture.all()) {
            work(agent, "second", "web-2");
            assertThat(second.lines()).isEmpty();
        }
    }

    private void work(NodeAgent agent, String volume, String name) {
        VolumeKey key = ground.volume(volume);
        AllocationId allocation = AllocationId.of(name);
        ground.running(name);
        get(agent.prepare(allocation, List.of(Ground.writing(key))));
        get(agent.teardown(allocation, Ground.PATIENCE));
        get(ground.lifecycle.cluster().allocationEnded(allocation));
        ground.until(
                "the claim is free",
                StateScope.of(StateScope.Table.VOLUMES),
                state -> state.volume(key).orElseThrow().claims().isEmpty());
    }

    @Test
    void certificateOfAnotherNodeIsWarningOnBothSidesWithOfferedAndExpectedIdentity() throws Exception {
        NodeAgent agent = agent(server(), "node2");

        String identities =
                "CN=node2 \\(the agent of node node-2\\) speaks for node node-1, .*expected is the agent of node node-1.*";
        assertThat(contact(agent, State.REFUSED).problem()).matches(".*" + identities);
        line(line -> line.matches("WARNING The call of an agent is refused: " + identities));
        line(line -> line.matches("WARNING The agent of node node-1 is refused by the server at .*" + identities));
        assertThat(connection(now -> !now.refusal().isEmpty()).refusal()).matches(identities);
    }

    @Test
    void certificateThatIsNotTrustedIsWarningOnBothSides() throws Exception {
        NodeAgent agent = agent(server(), "stranger");

        line(line ->
                line.startsWith("WARNING A peer that connects is refused for its certificate: offered was CN=stranger,"
                                + " issued by CN=stranger; expected is one that ")
                        && line.contains(trusted + " vouches for"));
        line(line -> line.startsWith("WARNING The agent of node node-1 cannot reach the server at "));
        assertThat(contact(agent, State.UNREACHABLE).problem()).isNotEmpty();
    }

    @Test
    void certificateOfNoPeerIsWarningOnTheServer() throws Exception {
        agent(server(), "nobody");

        line(line ->
                line.startsWith("WARNING All calls of CN=nobody (neither a server nor the agent of one node) from ")
                        && line.contains("expected is the certificate of a server, or of the agent of a node"));
    }

    @Test
    void serverWithAnotherPeersCertificateIsWarningOfTheAgent() throws Exception {
        int port = freePort();
        ground.start(ground.server().listen(at(port, "node2")));
        NodeAgent agent = agent(port, "node1");

        assertThat(contact(agent, State.UNREACHABLE).problem())
                .contains("the certificate of CN=node2 (the agent of node node-2) is not that of the server at ");
        line(line -> line.startsWith("WARNING The agent of node node-1 cannot reach the server at ")
                && line.contains("CN=node2"));
    }

    @Test
    void socketOfServerThatBelongsToAnotherUserIsRefusedUntilItsOwnerIsNamed() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Endpoint server = ground.unix("server");
        ground.start(ground.server().listenToAgent(server, NODE));
        Path socket = server.path().orElseThrow();
        Files.setAttribute(socket, "unix:uid", 65_534);
        NodeAgent agent = ground.start(ground.agent(ground.unix("agent-socket"), server));
        assertThat(contact(agent, State.UNREACHABLE).problem())
                .contains("the socket " + socket + " belongs to the user")
                .contains("Endpoint.ownedBy");
        agent.close();
        get(agent.closed());
        NodeAgent named = ground.start(ground.agent(ground.unix("agent-socket"), server.ownedBy("65534")));
        contact(named, State.CONNECTED);
    }

    @Test
    void serverThatDoesNotRunIsOneWarningAndItsReturnIsLogged() throws Exception {
        int port = freePort();
        NodeAgent agent = agent(port, "node1");
        contact(agent, State.UNREACHABLE);
        ground.start(ground.server().listen(at(port, "server")));

        contact(agent, State.CONNECTED);
        List<String> lines = log.lines().stream()
                .filter(line -> line.contains("the server at "))
                .toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith("WARNING The agent of node node-1 cannot reach the server at ");
        assertThat(lines.get(1)).startsWith("INFO The agent of node node-1 is connected to the server at ");
    }
}
