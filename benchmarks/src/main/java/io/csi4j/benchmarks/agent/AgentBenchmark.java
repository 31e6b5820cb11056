package io.csi4j.benchmarks.agent;

import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Secrets;
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
 * Calls of a server over an agent to a plugin that answers at once, beside the same calls made directly with a client:
 * over Unix sockets, over TCP, and over TCP with certificates on both sides. Server, agents and plugins are processes
 * of their own; rounds in turn.
 */
public final class AgentBenchmark {
    private static final int IN_FLIGHT = 64;

    private AgentBenchmark() {}

    /**
     * Runs the comparison.
     *
     * @param arguments {@code --rounds N} and {@code --calls N}, both optional
     * @throws Exception if something cannot be started or a call fails
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = option(arguments, "--rounds", 5);
        int calls = option(arguments, "--calls", 400);
        Path directory = Files.createTempDirectory("csi4j-agent").toRealPath();
        try {
            run(directory, rounds, calls);
        } finally {
            delete(directory);
        }
        System.exit(0);
    }

    private static int option(String[] arguments, String name, int otherwise) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Integer.parseInt(arguments[i + 1]);
            }
        }
        return otherwise;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @SuppressWarnings("try") // the programs have to run, and nobody speaks with them
    private static void run(Path directory, int rounds, int calls) throws Exception {
        PemFiles files = new PemFiles(directory);
        List<Place> places = List.of(
                new Place("unix", directory.resolve("unix"), 0, false),
                new Place("tcp", directory.resolve("tcp"), freePort(), false),
                new Place("mtls", directory.resolve("mtls"), freePort(), true));
        files.make("server", "csi4j://server");
        files.make("mtls", "csi4j://node/mtls");
        Map<NodeId, NodeRoute> routes = places.stream()
                .collect(Collectors.toMap(Place::id, each -> NodeRoute.direct(each.endpoint(files, "server"))));
        Path direct = directory.resolve("direct.sock");
        List<String> agents = new ArrayList<>(List.of(String.valueOf(IN_FLIGHT), directory.toString()));
        places.forEach(each -> agents.add(each.written()));
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
            List<Way> controller = ways(
                    places,
                    place -> volume ->
                            gateway.controller(place.instance()).controllerPublishVolume(publish.get(volume)));
            controller.add(
                    0,
                    new Way(
                            "client, directly",
                            volume -> client.controller().controllerPublishVolume(publish.get(volume))));
            List<Way> node = ways(places, place -> volume -> gateway.volumeStats(place.id(), Place.look(volume)));
            node.add(
                    0,
                    new Way(
                            "client, directly",
                            volume -> client.node()
                                    .nodeGetVolumeStats(NodeGetVolumeStatsRequest.builder(
                                                    Place.volume(volume), "/mnt/volume-" + volume)
                                            .build())));
            compare("ControllerPublishVolume", controller, rounds, calls);
            compare("NodeGetVolumeStats", node, rounds, calls);
        }
    }

    private static ControllerPublishVolumeRequest publish(int volume) {
        return ControllerPublishVolumeRequest.builder(
                        Place.volume(volume),
                        ExternalNodeId.of("i-0123456789abcdef0"),
                        VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                .secrets(Secrets.of(Map.of("username", "storage-user", "password", "a-password-of-some-length")))
                .volumeContext(VolumeContext.of(Map.of("pool", "fast", "backend", "array-17")))
                .build();
    }

    private static List<Way> ways(List<Place> places, Function<Place, IntFunction<CompletableFuture<?>>> calls) {
        return places.stream()
                .map(place -> new Way("agent, " + place.node(), calls.apply(place)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void compare(String title, List<Way> ways, int rounds, int calls) throws Exception {
        for (Way way : ways) {
            way.measure(calls, IN_FLIGHT);
            way.measure(calls, IN_FLIGHT);
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < ways.size(); i++) {
                // Each round begins with another one, so that none always follows the same neighbour.
                Way way = ways.get((i + round) % ways.size());
                way.keep(way.measure(calls, IN_FLIGHT));
            }
        }
        Way base = ways.get(0);
        System.out.printf(
                "%s, %d rounds in turn, %d calls one at a time and %d with %d in flight%n",
                title, rounds, calls, calls * 4, IN_FLIGHT);
        for (Way way : ways) {
            System.out.printf(
                    Locale.ROOT,
                    "  %-18s p50 %7.1f us   of directly %5.2f    calls/s %8.0f   of directly %5.2f%n",
                    way.name(),
                    way.median(Way.Round::p50Micros),
                    way.medianRatio(base, Way.Round::p50Micros),
                    way.median(Way.Round::callsPerSecond),
                    way.medianRatio(base, Way.Round::callsPerSecond));
        }
        System.out.println();
    }

    /** Ends the program: a figure with failed calls in it would be worth nothing. */
    static void stop(Throwable failure) {
        failure.printStackTrace();
        System.exit(1);
    }
}
