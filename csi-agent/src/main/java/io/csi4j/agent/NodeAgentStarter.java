package io.csi4j.agent;

import io.csi4j.agent.internal.node.AgentService;
import io.csi4j.agent.internal.node.FingerprintReporter;
import io.csi4j.agent.internal.node.NodeRuntime;
import io.csi4j.agent.internal.node.ReleaseReports;
import io.csi4j.agent.internal.node.RemoteClaims;
import io.csi4j.agent.internal.node.RetryTimer;
import io.csi4j.agent.internal.node.ServerLink;
import io.csi4j.agent.internal.wire.PeerInterceptor;
import io.csi4j.agent.internal.wire.PeerListener;
import io.csi4j.agent.internal.wire.WireCaller;
import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.client.registry.Fingerprinter;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.WorkloadVolumes;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;

/** Starts the parts of an agent. If a part cannot start, the parts that were started before it are closed. */
final class NodeAgentStarter {
    private static final System.Logger LOG = System.getLogger(NodeAgentStarter.class.getName());

    private final NodeAgentBuilder settings;
    private final Environment environment;
    private final Deque<Runnable> undo = new ArrayDeque<>();

    NodeAgentStarter(NodeAgentBuilder settings) {
        this.settings = settings;
        this.environment = settings.environment().orElseGet(Environment::system);
    }

    NodeAgent start() throws IOException {
        try {
            // Checks the required settings before anything is created.
            settings.listen();
            settings.servers();
            NodeRuntime node = NodeStarter.start(settings, environment);
            try {
                return started(node);
            } catch (IOException | RuntimeException unstarted) {
                undo.forEach(Runnable::run);
                node.abandon(unstarted);
                throw unstarted;
            }
        } catch (IOException | RuntimeException unstarted) {
            if (settings.environment().isEmpty()) {
                environment.close();
            }
            throw unstarted;
        }
    }

    private NodeAgent started(NodeRuntime node) throws IOException {
        NodeId id = settings.nodeId;
        RandomGenerator random = environment.random();
        var listen = settings.listen();
        WireContext wire = new WireContext(environment, false, settings.maxInboundMessageSize);
        undo.push(wire::close);
        WireChannels channels = new WireChannels(wire, settings.rules);
        undo.push(channels::close);
        ServerLink link = new ServerLink(id, settings.servers(), channels, wire);
        RetryTimer retries = new RetryTimer(wire.timer(), wire.executor(), random);
        PeerInterceptor peers = listen.tls().isPresent()
                ? PeerInterceptor.byCertificate(settings.rules)
                : PeerInterceptor.bound(WireCaller.aServer("a server"));
        // The server may call AgentService on the network threads, because AgentService passes work that may block to
        // the executor.
        WireServer server = WireServer.start(
                wire, listen, peers, PeerListener.servers(), new AgentService(id, node, wire), Runnable::run);
        undo.push(server::close);
        FingerprintReporter reported = new FingerprintReporter(link);
        Fingerprinter fingerprinter = Fingerprinter.start(node.registry(), reported, settings.fingerprintInterval);
        reported.reportedBy(fingerprinter);
        RemoteClaims claims = new RemoteClaims(id, link, retries, random, reported::heard);
        ReleaseReports reports = new ReleaseReports(id, link, retries, reported::heard);
        NodeAgent agent = new NodeAgent(
                id,
                node,
                new WorkloadVolumes(node.volumes(), claims, wire.timer()),
                new NodeAgent.ServerConnections(wire, channels, link, server, fingerprinter, claims, reports));
        if (settings.environment().isEmpty()) {
            var unused = agent.closed().whenComplete((nothing, failure) -> environment.close());
        }
        LOG.log(
                Level.INFO,
                () -> "The agent of node " + id + " has started; it listens at " + listen + ", and its servers are "
                        + settings.servers());
        return agent;
    }
}
