package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.csi4j.core.id.NodeId;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.testkit.FakeStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The machines of the cluster: starts the processes of servers and nodes, restarts a process that ends, and switches
 * nodes off and on. Thread-safe.
 */
final class Machines implements AutoCloseable {
    private static final long CHECK_MILLIS = 500;

    private final ClusterLayout layout;
    private final Map<Integer, ServerMachine> servers = new TreeMap<>();
    private final Map<NodeId, NodeMachine> nodes = new TreeMap<>();
    private final ScheduledExecutorService supervisor = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "csi4j-example-machines");
        daemon.setDaemon(true);
        return daemon;
    });
    private final LineSocket power;
    private @Nullable PostgresServer database;
    private @Nullable Path databaseBackup;
    private boolean closed;

    Machines(ClusterLayout layout, DriverCommand plugin) throws IOException {
        this.layout = layout;
        layout.servers().forEach(server -> servers.put(server, new ServerMachine(layout, server)));
        layout.nodeIds().forEach(node -> nodes.put(node, new NodeMachine(layout, node, plugin)));
        this.power = LineSocket.listen(layout.powerSocket(), this::answer);
    }

    /** Starts all servers and nodes, and waits until each process is ready. */
    synchronized void start() throws IOException {
        if (closed) {
            return;
        }
        if (layout.log() == LogPlace.POSTGRES) {
            database = PostgresServer.builder()
                    .in(layout.databaseDirectory())
                    .port(layout.database())
                    .start();
        }
        for (ServerMachine server : servers.values()) {
            server.start();
        }
        for (ServerMachine server : servers.values()) {
            server.awaitReady();
        }
        for (NodeMachine node : nodes.values()) {
            node.startAgent();
        }
        for (NodeMachine node : nodes.values()) {
            node.startPlugin();
        }
        var unused =
                supervisor.scheduleWithFixedDelay(this::restart, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Starts each process again that has ended, unless its server or node is switched off. */
    private synchronized void restart() {
        if (closed) {
            return;
        }
        try {
            if (database != null && !database.alive()) {
                database.restart();
            }
            for (ServerMachine server : servers.values()) {
                server.restart();
            }
            for (NodeMachine node : nodes.values()) {
                node.restart();
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("restart: " + e.getMessage());
        }
    }

    private ServerMachine server(int number) {
        return Objects.requireNonNull(servers.get(number), () -> "server " + number);
    }

    private ServerMachine server(String name) {
        return layout.servers().stream()
                .filter(number -> name.equals("server-" + number))
                .findFirst()
                .map(this::server)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no server '" + name + "'; the servers are server-1 to server-" + servers.size()));
    }

    private NodeMachine machine(NodeId node) {
        return Objects.requireNonNull(nodes.get(node), node::toString);
    }

    private JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws IOException {
        if (op.startsWith("server ")) {
            return serverAnswer(op, request);
        }
        NodeId node = NodeId.of(AdminRequests.text(request, "node"));
        progress.accept(op + ": " + node);
        switch (op) {
            case "node off" -> switchOff(node);
            case "node start" -> resume(node);
            case "plugin upgrade" -> upgrade(node, AdminRequests.text(request, "version"));
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        }
        return new JsonPrimitive(op + " of " + node + " is done");
    }

    private synchronized JsonElement serverAnswer(String op, JsonObject request) throws IOException {
        ServerMachine server = server(AdminRequests.text(request, "server"));
        switch (op) {
            case "server stop" -> server.switchOff();
            case "server start" -> server.switchOn(false);
            case "server start empty" -> server.switchOn(true);
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        }
        return server.status();
    }

    synchronized void killServer(int number) {
        server(number).kill();
    }

    synchronized void killAgent(NodeId node) {
        machine(node).killAgent();
    }

    synchronized void killPlugin(NodeId node) {
        machine(node).killPlugin();
    }

    /** Ends all processes of a node at once, and does not start them until {@link #resume}. */
    synchronized void halt(NodeId node) {
        machine(node).halt();
    }

    /** Ends the plugin of a node at once, and does not start it until {@link #returnPlugin}. */
    synchronized void removePlugin(NodeId node) {
        machine(node).removePlugin();
    }

    synchronized void returnPlugin(NodeId node) {
        machine(node).returnPlugin();
    }

    /** Puts another machine with an empty disk in the place of a node's machine, which is switched off for good. */
    synchronized void replace(NodeId node) throws IOException {
        switchOff(node);
        machine(node).replace();
        machine(node).resume();
    }

    /** Returns the id by which the plugin knows the machine of a node. */
    synchronized String externalId(NodeId node) {
        return machine(node).externalId();
    }

    synchronized boolean hasDatabase() {
        return database != null;
    }

    private PostgresServer database() {
        return Objects.requireNonNull(database, "the database of the log");
    }

    /** Kills all processes of the database at once, and starts it again. */
    synchronized void killDatabase() {
        database().kill();
        database().restart();
    }

    synchronized void pauseDatabase() {
        database().pause();
    }

    synchronized void resumeDatabase() {
        database().resume();
    }

    /** Copies the database while it runs; or ends all servers, and copies their logs. They are started again like after a failure. */
    synchronized void backUpServers() throws IOException {
        if (hasDatabase()) {
            databaseBackup = database().backup();
            return;
        }
        servers.values().forEach(ServerMachine::kill);
        for (int server : layout.servers()) {
            copy(layout.serverLog(server), layout.backup(server));
        }
    }

    /**
     * Ends all servers, and then all plugins, so that no call of these servers continues. Puts the logs of the last
     * backup in the place of the present ones.
     */
    synchronized void restoreServers() throws IOException {
        servers.values().forEach(ServerMachine::kill);
        nodes.values().forEach(NodeMachine::killPlugin);
        if (hasDatabase()) {
            database().restore(Objects.requireNonNull(databaseBackup, "a backup"));
            return;
        }
        for (int server : layout.servers()) {
            CallerDirectories.removeAll(layout.serverLog(server));
            copy(layout.backup(server), layout.serverLog(server));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        if (Files.exists(to)) {
            CallerDirectories.removeAll(to);
        }
        Files.createDirectories(to.toAbsolutePath().getParent());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** Switches a node off: its processes and mounts are gone, and its disk is empty when it starts again. */
    synchronized void switchOff(NodeId node) throws IOException {
        machine(node).halt();
        CallerDirectories.unmountAll(layout.node(node));
        CallerDirectories.removeAll(layout.node(node));
        if (machine(node).usesFakePlugin()) {
            // Informs the fake storage that the mounts on the node are gone. A real driver notices this itself.
            FakeStorage.inDirectory(layout.storage(), Long.MAX_VALUE)
                    .nodeIsGone(machine(node).externalId());
        }
    }

    synchronized void resume(NodeId node) {
        machine(node).resume();
    }

    /** Switches all servers and nodes on that are off. */
    synchronized void resumeAll() throws IOException {
        for (ServerMachine server : servers.values()) {
            if (!server.isAlive()) {
                server.start();
            }
        }
        nodes.values().forEach(NodeMachine::resume);
    }

    /** Replaces the plugin of a node by another version; the mounts stay. */
    synchronized void upgrade(NodeId node, String version) throws IOException {
        machine(node).upgrade(version);
    }

    synchronized boolean usesFakePlugin() {
        return nodes.values().iterator().next().usesFakePlugin();
    }

    /** Returns the endpoint of a plugin that runs. */
    synchronized String pluginEndpoint() {
        return nodes.values().iterator().next().endpoint();
    }

    /** Returns the process ids of all processes that run. */
    synchronized List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        servers.values().stream().filter(ServerMachine::isAlive).forEach(server -> pids.add(server.pid()));
        nodes.values().forEach(node -> pids.addAll(node.pids()));
        return pids;
    }

    /** Ends all processes: agents first, so that they can report, then plugins, then servers. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        supervisor.shutdownNow();
        nodes.values().parallelStream().forEach(NodeMachine::close);
        servers.values().parallelStream().forEach(ServerMachine::close);
        if (database != null) {
            database.close();
        }
        power.close();
    }
}
