package io.csi4j.benchmarks.admin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Many clients in a process of their own, so that the server's process has only its own sockets and memory. Each line of
 * the standard input is a request that all of them send, or {@code answers}, which lets them read one answer each. The
 * process reports each step with a line.
 */
final class WaitingClients implements AutoCloseable {
    private static final String READ = "answers";
    private static final String DONE = "done";

    private final Process process;
    private final BufferedReader output;

    private WaitingClients(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts the process and opens a connection for each client. */
    static WaitingClients start(URI server, String token, int clients) throws IOException {
        WaitingClients started = new WaitingClients(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        WaitingClients.class.getName(),
                        server.getHost(),
                        Integer.toString(server.getPort()),
                        token,
                        Integer.toString(clients))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        started.await();
        return started;
    }

    /** Lets every client send a request; a {@code #} in the path stands for the number of the client. */
    void send(String path) throws IOException {
        step(path);
    }

    /** Waits until every client has read an answer. */
    void readAnswers() throws IOException {
        step(READ);
    }

    private void step(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        await();
    }

    private void await() throws IOException {
        if (!DONE.equals(output.readLine())) {
            throw new IOException("the process of the clients ended before its work was done");
        }
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit()
                .orTimeout(20, TimeUnit.SECONDS)
                .exceptionally(timeout -> process.destroyForcibly())
                .join();
    }

    /**
     * Runs the clients.
     *
     * @param arguments the host and the port of the server, a token, and the number of clients
     * @throws IOException if a connection fails
     */
    public static void main(String[] arguments) throws IOException {
        InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        List<SocketChannel> open = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
            open.add(SocketChannel.open(server));
        }
        System.out.println(DONE);
        BufferedReader steps = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String step = steps.readLine(); step != null; step = steps.readLine()) {
            for (int i = 0; i < open.size(); i++) {
                if (step.equals(READ)) {
                    read(open.get(i));
                } else {
                    write(open.get(i), step.replace("#", Integer.toString(i)), arguments[2]);
                }
            }
            System.out.println(DONE);
        }
    }

    private static void write(SocketChannel channel, String path, String token) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(
                ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Reads one answer; the answers of this program are small and come at once. */
    private static void read(SocketChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
        channel.read(buffer);
        String answer = new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
        if (!answer.startsWith("HTTP/1.1 200")) {
            throw new IOException(answer);
        }
    }
}
