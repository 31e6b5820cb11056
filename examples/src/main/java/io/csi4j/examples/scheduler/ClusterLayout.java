package io.csi4j.examples.scheduler;

import com.google.gson.Gson;
import io.csi4j.agent.AgentServerBuilder;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.state.AesGcmSecretsCipher;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.crypto.spec.SecretKeySpec;

/**
 * The files and addresses of a cluster on one machine, below one directory.
 *
 * @param ports the ports of the servers' log on the loopback address, one for each server
 * @param pages the ports of the servers' status pages on the loopback address, one for each server
 * @param nodes the number of nodes
 * @param database the port of the database with the log; 0: the log is in files of the servers
 */
public record ClusterLayout(Path directory, List<Integer> ports, List<Integer> pages, int nodes, int database) {
    /** The plugin that runs on each node. */
    static final PluginId PLUGIN = PluginId.of("hostpath");

    private static final int KEY_BYTES = 32;

    /** The part of the layout that the file {@code cluster.json} contains. */
    private record Stored(List<Integer> ports, List<Integer> pages, int nodes, int database) {}

    /** Creates the directory of a new cluster, or reads the directory that an earlier run has left. */
    static ClusterLayout prepare(Path directory, int servers, int nodes, LogPlace log) throws IOException {
        Path file = directory.resolve("cluster.json");
        if (Files.exists(file)) {
            ClusterLayout existing = read(directory);
            if (existing.ports().size() != servers || existing.nodes() != nodes || existing.log() != log) {
                throw new IOException(
                        directory + " has a cluster of " + existing.ports().size() + " servers and " + existing.nodes()
                                + " nodes, with the log in " + existing.log()
                                + "; give the same options, or another directory");
            }
            existing.writePolicies();
            if (servers > 1) {
                existing.certificate().make();
            }
            return existing;
        }
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        writeSecret(directory.resolve("secrets.key"));
        List<Integer> ports = freePorts(2 * servers + 1);
        Stored stored = new Stored(
                ports.subList(0, servers),
                ports.subList(servers, 2 * servers),
                nodes,
                log == LogPlace.POSTGRES ? ports.get(2 * servers) : 0);
        Files.writeString(file, new Gson().toJson(stored));
        return prepare(directory, servers, nodes, log);
    }

    /** Writes the policies to begin with, unless the operators have a directory of policies already. */
    private void writePolicies() throws IOException {
        if (Files.exists(policies())) {
            return;
        }
        Path beside = Files.createTempDirectory(directory, "policies");
        for (String policy : List.of("operator", "reader", "submitter")) {
            String file = policy + ".policy";
            try (InputStream in = Objects.requireNonNull(ClusterLayout.class.getResourceAsStream(file), file)) {
                Files.copy(in, beside.resolve(file));
            }
        }
        Files.move(beside, policies(), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void writeSecret(Path file) throws IOException {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, Base64.getEncoder().encodeToString(key));
    }

    /**
     * Reads the layout of a cluster.
     *
     * @throws IOException if the directory has none
     */
    public static ClusterLayout read(Path directory) throws IOException {
        String text = Files.readString(directory.resolve("cluster.json"));
        Stored stored = new Gson().fromJson(text, Stored.class);
        return new ClusterLayout(
                directory, List.copyOf(stored.ports()), List.copyOf(stored.pages()), stored.nodes(), stored.database());
    }

    private static List<Integer> freePorts(int number) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < number; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    LogPlace log() {
        return database == 0 ? LogPlace.FILES : LogPlace.POSTGRES;
    }

    /** Returns the directory of the database, outside of this one: the user of PostgreSQL may not enter this one. */
    Path databaseDirectory() {
        return directory.resolveSibling(directory.getFileName() + "-database");
    }

    /** Returns the numbers of the servers, from 1. */
    List<Integer> servers() {
        return IntStream.rangeClosed(1, ports.size()).boxed().toList();
    }

    List<NodeId> nodeIds() {
        return IntStream.rangeClosed(1, nodes)
                .mapToObj(i -> NodeId.of("node-" + i))
                .toList();
    }

    /** Returns the peers with which the replicated log began; empty for one server, which needs no network. */
    List<Peer> founders() {
        return ports.size() == 1
                ? List.of()
                : servers().stream()
                        .map(server -> Peer.of("server-" + server, "127.0.0.1", ports.get(server - 1)))
                        .toList();
    }

    /** Returns a server as a peer of the replicated log: with a new id if it was started empty in the place of another. */
    Peer peer(int server) throws IOException {
        return Peer.of(peerId(server), "127.0.0.1", ports.get(server - 1));
    }

    private String peerId(int server) throws IOException {
        Path file = directory.resolve("peer-" + server);
        return Files.exists(file) ? Files.readString(file) : "server-" + server;
    }

    /** Gives a server that does not run a new id, and so an empty directory. Its former directory stays. */
    void renewPeer(int server) throws IOException {
        int number = 1;
        while (Files.exists(directory.resolve("server-" + server + "-m" + number))) {
            number++;
        }
        Files.writeString(directory.resolve("peer-" + server), "server-" + server + "-m" + number);
    }

    /** Returns the address of a server's status page and API. */
    InetSocketAddress page(int server) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), pages.get(server - 1));
    }

    /** Returns the directory with the policies of tokens, which all servers read. */
    Path policies() {
        return directory.resolve("policies");
    }

    /** Returns the file for the first token, if this server makes it. Only the user of the cluster can read it. */
    Path firstToken(int server) {
        return directory.resolve("first-token-" + server);
    }

    /**
     * Returns the file with the first token; empty if no server has made one yet, or the operators have removed it. If a
     * state without tokens was restored, a second server may have made one; the later one is in use.
     */
    Optional<Path> firstToken() {
        return servers().stream()
                .map(this::firstToken)
                .filter(Files::exists)
                .max(Comparator.comparingLong(file -> file.toFile().lastModified()));
    }

    /**
     * Returns the variables of the shell for operators: the addresses of the servers, and the file with the first token
     * while there is one.
     */
    public Map<String, String> shellVariables() {
        Map<String, String> variables = new HashMap<>();
        variables.put(
                "CSI_ADDRESS",
                pages.stream().map(port -> "http://127.0.0.1:" + port).collect(Collectors.joining(",")));
        firstToken().ifPresent(file -> variables.put("CSI_TOKEN_FILE", file.toString()));
        return variables;
    }

    /** Returns the cipher for secrets in the log, with the same key at each server. */
    SecretsCipher cipher() throws IOException {
        String text = Files.readString(directory.resolve("secrets.key"), StandardCharsets.US_ASCII);
        return AesGcmSecretsCipher.builder()
                .currentKey("1", new SecretKeySpec(Base64.getDecoder().decode(text), "AES"))
                .build();
    }

    /** Returns the certificate that the servers show each other. */
    ServerCertificate certificate() {
        return new ServerCertificate(directory);
    }

    /** Returns the directory in which servers find the addresses of agents. */
    NodeDirectory routes() {
        return NodeDirectory.of(nodeIds().stream()
                .collect(Collectors.toMap(node -> node, node -> NodeRoute.direct(agentSocket(node)))));
    }

    /** Adds one socket for each agent, so that the socket proves which node calls. */
    AgentServerBuilder listen(AgentServerBuilder server, int number) {
        nodeIds().forEach(node -> server.listenToAgent(serverSocket(number, node), node));
        return server;
    }

    /** Returns the sockets on which the servers expect a node. */
    List<Endpoint> serverSockets(NodeId node) {
        return servers().stream().map(server -> serverSocket(server, node)).toList();
    }

    private Endpoint serverSocket(int server, NodeId node) {
        return Endpoint.unix(directory.resolve("sockets/s" + server + "/" + node));
    }

    /** Returns the socket on which a node expects the servers. */
    Endpoint agentSocket(NodeId node) {
        return Endpoint.unix(directory.resolve("sockets/" + node + "/agent"));
    }

    /** Returns the scheduler's own sockets, to which operators and agents connect. */
    List<Path> adminSockets() {
        return servers().stream().map(this::adminSocket).toList();
    }

    Path adminSocket(int server) {
        return directory.resolve("sockets/admin/" + server);
    }

    /**
     * Returns the socket on which the main program accepts requests to end and start the processes of a node. The main
     * program has started all processes, so it can kill those of a node.
     */
    Path powerSocket() {
        return directory.resolve("sockets/power");
    }

    Path serverData(int server) throws IOException {
        return directory.resolve(peerId(server));
    }

    Path serverLog(int server) throws IOException {
        return serverData(server).resolve("log");
    }

    /** Returns the directory with the copy of a server's log that a chaos run has made. */
    Path backup(int server) {
        return directory.resolve("backup/server-" + server);
    }

    /** Returns the file with the difference between the clock of a process and that of this machine. */
    Path clock(String process) {
        return directory.resolve("clocks/" + process);
    }

    /** Returns the directory of a node, which is its local disk. */
    Path node(NodeId node) {
        return directory.resolve(node.value());
    }

    /** Returns the directory that stands for the storage provider of the fake plugin. */
    Path storage() {
        return directory.resolve("storage");
    }

    /** Returns the file with the jobs, which all servers read. */
    Path jobs() {
        return directory.resolve("jobs.txt");
    }

    /** Returns the file to which agents write each grant of a volume, and each violation that a workload has found. */
    Path report(String name) {
        return directory.resolve(name + ".log");
    }

    /** Returns the directory with the logs of all processes. */
    Path logs() {
        return directory.resolve("logs");
    }

    Path log(String process) {
        return logs().resolve(process + ".log");
    }
}
