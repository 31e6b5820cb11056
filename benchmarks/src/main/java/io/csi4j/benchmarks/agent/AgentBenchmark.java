package io.csi4j.benchmarks.agent;

import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the calls that a server makes through an agent with the same calls of a client that is connected to the
 * plugin directly. The server reaches the agents over Unix sockets, over TCP, and over TCP with certificates on both
 * sides. The plugin answers at once. Server, agents and plugins run in separate processes.
 */
public final class AgentBenchmark {
    private static final int IN_FLIGHT = 64;

    private AgentBenchmark() {}

    /**
     * Runs the comparison.
     *
     * @param arguments {@code --rounds N} and {@code --calls N}, both optional
     * @throws Exception if a process cannot be started or a call fails
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = option(arguments, "--rounds", 5);
        int calls = option(arguments, "--calls", 4_000);
        Path directory = Files.createTempDirectory("csi4j-agent").toRealPath();
        try {
            run(directory, rounds, calls);
        } finally {
            delete(directory);
        }
        System.exit(0);
    }

    private static int option(String[] arguments, String name, int defaultValue) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Integer.parseInt(arguments[i + 1]);
            }
        }
        return defaultValue;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @SuppressWarnings("try") // the variables keep the processes running until the end
    private static void run(Path directory, int rounds, int calls) throws Exception {
        PemFiles files = new PemFiles(directory);
        List<AgentNode> agentNodes = List.of(
                new AgentNode("unix", directory.resolve("unix"), 0, false),
                new AgentNode("tcp", directory.resolve("tcp"), freePort(), false),
                new AgentNode("mtls", directory.resolve("mtls"), freePort(), true));
        files.create("server", "csi4j://server");
        files.create("mtls", "csi4j://node/mtls");
        Map<NodeId, NodeRoute> routes = agentNodes.stream()
                .collect(Collectors.toMap(AgentNode::id, each -> NodeRoute.direct(each.endpoint(files, "server"))));
        Path direct = directory.resolve("direct.sock");
        List<String> agents = new ArrayList<>(List.of(String.valueOf(IN_FLIGHT), directory.toString()));
        agentNodes.forEach(each -> agents.add(each.toArgument()));
        ExecutorService executor = Executors.newCachedThreadPool();
        try (AutoCloseable plugin = Programs.start(InstantPlugin.class, List.of(direct.toString()));
                AutoCloseable nodes = Programs.start(AgentProgram.class, agents);
                CsiClient client = CsiClient.connect("unix://" + direct);
                RemoteNodeGateway gateway = RemoteNodeGateway.builder(node -> Optional.ofNullable(routes.get(node)))
                        .environment(Environment.of(
                                Clock.systemUTC(),
                                Timer.from(Executors.newSingleThreadScheduledExecutor()),
                                executor,
                                new SplittableRandom()))
                        .build()) {
            List<ControllerPublishVolumeRequest> publish = Stream.iterate(0, i -> i + 1)
                    .limit(IN_FLIGHT)
                    .map(AgentBenchmark::publish)
                    .toList();
            List<CallRoute> controller = routes(
                    agentNodes,
                    agentNode -> volume ->
                            gateway.controller(agentNode.instance()).controllerPublishVolume(publish.get(volume)));
            controller.add(
                    0,
                    new CallRoute(
                            "client, direct",
                            volume -> client.controller().controllerPublishVolume(publish.get(volume))));
            List<CallRoute> node = routes(
                    agentNodes, agentNode -> volume -> gateway.volumeStats(agentNode.id(), AgentNode.query(volume)));
            node.add(
                    0,
                    new CallRoute(
                            "client, direct",
                            volume -> client.node()
                                    .nodeGetVolumeStats(NodeGetVolumeStatsRequest.builder(
                                                    AgentNode.volume(volume), "/mnt/volume-" + volume)
                                            .build())));
            compare("ControllerPublishVolume", controller, rounds, calls);
            compare("NodeGetVolumeStats", node, rounds, calls);
        }
    }

    private static ControllerPublishVolumeRequest publish(int volume) {
        return ControllerPublishVolumeRequest.builder(
                        AgentNode.volume(volume),
                        ExternalNodeId.of("i-0123456789abcdef0"),
                        VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                .secrets(Secrets.of(Map.of("username", "storage-user", "password", "a-password-of-some-length")))
                .volumeContext(VolumeContext.of(Map.of("pool", "fast", "backend", "array-17")))
                .build();
    }

    private static List<CallRoute> routes(
            List<AgentNode> agentNodes, Function<AgentNode, IntFunction<CompletableFuture<?>>> calls) {
        return agentNodes.stream()
                .map(agentNode -> new CallRoute("agent, " + agentNode.node(), calls.apply(agentNode)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void compare(String title, List<CallRoute> routes, int rounds, int calls) throws Exception {
        for (CallRoute route : routes) {
            route.measure(calls, IN_FLIGHT);
            route.measure(calls, IN_FLIGHT);
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < routes.size(); i++) {
                // Starts each round with another route, so that the order of the routes does not favor one of them.
                CallRoute route = routes.get((i + round) % routes.size());
                route.add(route.measure(calls, IN_FLIGHT));
            }
        }
        CallRoute base = routes.get(0);
        System.out.printf(
                "%s, %d interleaved rounds, %d calls one at a time and %d with %d in flight%n",
                title, rounds, calls, calls * 4, IN_FLIGHT);
        for (CallRoute route : routes) {
            System.out.printf(
                    Locale.ROOT,
                    "  %-18s p50 %7.1f us   ratio %5.2f    calls/s %8.0f   ratio %5.2f%n",
                    route.name(),
                    route.median(CallRoute.Round::p50Micros),
                    route.medianRatio(base, CallRoute.Round::p50Micros),
                    route.median(CallRoute.Round::callsPerSecond),
                    route.medianRatio(base, CallRoute.Round::callsPerSecond));
        }
        System.out.println();
    }

    /** Ends the program, because a measurement with failed calls is worthless. */
    static void stop(Throwable failure) {
        failure.printStackTrace();
        System.exit(1);
    }
}
