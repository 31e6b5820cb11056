package io.csi4j.benchmarks.client;

import io.grpc.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the gRPC server of the benchmark in a separate process, so that only the client is measured. The process ends
 * when its standard input is closed.
 */
final class BareServerProcess implements AutoCloseable {
    private final Path socket;
    private final Process process;

    private BareServerProcess(Path socket, Process process) {
        this.socket = socket;
        this.process = process;
    }

    static BareServerProcess start(Path socket) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                BareServerProcess.class.getName(),
                socket.toString());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (output.readLine() == null) {
            process.destroyForcibly();
            throw new IOException("the server process ended before it listened on " + socket);
        }
        return new BareServerProcess(socket, process);
    }

    String endpoint() {
        return "unix://" + socket;
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit()
                .orTimeout(5, TimeUnit.SECONDS)
                .exceptionally(timeout -> process.destroyForcibly())
                .join();
    }

    /**
     * Starts the server.
     *
     * @param arguments the socket's path
     * @throws IOException if the server cannot listen on the socket
     */
    public static void main(String[] arguments) throws IOException {
        Server server = Wire.server(arguments[0]);
        System.out.println("listening");
        while (System.in.read() >= 0) {
            // Ignores the bytes of the standard input, because only its end matters.
        }
        server.shutdownNow();
    }
}
