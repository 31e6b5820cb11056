package io.csi4j.examples.own;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.examples.steps.JavaCommand;
import io.csi4j.node.transport.TransportCodec;
import io.csi4j.testkit.FakePluginProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs a server and two nodes as processes, with an RPC and a log that are not csi4j's: a volume is claimed and mounted, the server is killed and
 * started again, and the volume moves to the other node. Mounts need root.
 */
@SuppressWarnings("try") // An interrupt while it closes ends the program.
public final class EmbedOwn implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final HttpRpc rpc = new HttpRpc();
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final List<URI> addresses = new ArrayList<>();

    private EmbedOwn(Path directory) throws IOException {
        this.directory = directory;
        for (int i = 0; i < 3; i++) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                addresses.add(URI.create("http://localhost:" + free.getLocalPort()));
            }
        }
    }

    /**
     * Runs the program.
     *
     * @param args an absolute directory with a short name, for example {@code /tmp/csi}; none: a new directory
     */
    public static void main(String[] args) throws Exception {
        Path directory = args.length > 0
                ? Path.of(args[0])
                : Files.createTempDirectory("csi").toRealPath();
        try (EmbedOwn program = new EmbedOwn(directory)) {
            program.run();
        }
    }

    private void run() throws Exception {
        URI one = addresses.get(1);
        URI two = addresses.get(2);
        Process server = server();
        node("node-1", one);
        node("node-2", two);
        // DOC
        host("plugin");
        host("create");
        host("started?allocation=web-1&node=node-1");
        Path target = prepare(one, "web-1").get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        Files.writeString(target.resolve("hello.txt"), "written on node-1");

        server.destroyForcibly().waitFor(); // SIGKILL
        server();
        System.out.println("after the restart: " + host("claims"));

        // The replacement on the second node waits, because only one node may have the volume.
        host("started?allocation=web-2&node=node-2");
        CompletableFuture<Path> moved = prepare(two, "web-2");
        host("ended?allocation=web-1");
        Path second = moved.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        System.out.println("read on node-2: " + Files.readString(second.resolve("hello.txt")));
        host("ended?allocation=web-2");
        System.out.println("freed: " + host("freed?node=node-2"));
        host("delete");
        System.out.println("deleted");
        // DOC
    }

    private String host(String request) throws Exception {
        return text(addresses.get(0).resolve("/host/" + request)).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private CompletableFuture<String> text(URI uri) {
        return rpc.call(uri, new byte[0], LIMIT).thenApply(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    private CompletableFuture<Path> prepare(URI node, String allocation) {
        byte[] claims = TransportCodec.CLAIMS.encode(List.of(ClaimRequest.writing(OwnServer.VOLUME, OwnServer.WRITER)));
        return rpc.call(node.resolve("/work/prepare?allocation=" + allocation), claims, LIMIT)
                .thenApply(path -> Path.of(new String(path, StandardCharsets.UTF_8)));
    }

    private Process server() throws IOException {
        Process server = launch(
                "server",
                OwnServer.class,
                port(addresses.get(0)),
                directory.resolve("server").toString(),
                addresses.get(1).toString(),
                addresses.get(2).toString());
        firstLine(server);
        return server;
    }

    private void node(String id, URI address) throws Exception {
        Process node = launch(
                id,
                OwnNode.class,
                id,
                port(address),
                directory.resolve(id).toString(),
                addresses.get(0).toString());
        FakePluginProcess plugin = FakePluginProcess.builder(firstLine(node))
                .nodeId(id)
                .stateDir(directory.resolve("storage"))
                .start();
        running.push(plugin);
        text(address.resolve("/work/plugin")).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static String port(URI address) {
        return String.valueOf(address.getPort());
    }

    private Process launch(String name, Class<?> main, String... arguments) throws IOException {
        Files.createDirectories(directory);
        Process process = new ProcessBuilder(JavaCommand.of(List.of(), main.getName(), List.of(arguments)))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve(name + ".log").toFile()))
                .start();
        running.push(() -> end(process));
        return process;
    }

    /** Closes the input of a process, at which it ends. */
    private static void end(Process process) throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private String firstLine(Process process) throws IOException {
        String line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IOException("a process ended; its messages are in the files *.log in " + directory);
        }
        return line;
    }

    @Override
    public void close() throws Exception {
        while (!running.isEmpty()) {
            running.pop().close();
        }
    }
}
