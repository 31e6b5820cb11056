package io.csi4j.shell;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A server that answers with any bytes: one thread for each connection, which it closes after its answer. */
final class FakeServer implements AutoCloseable {
    /** A request as it came. */
    record Request(String line, String head, String body) {}

    /** Writes the answer to a request. */
    interface Answer {
        void write(OutputStream out) throws IOException;
    }

    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Function<Request, Answer> answers;

    FakeServer(Function<Request, Answer> answers) throws IOException {
        this.answers = answers;
        daemon(this::accept);
    }

    /** A server with the same answer to all requests. */
    static FakeServer of(Answer answer) throws IOException {
        return new FakeServer(request -> answer);
    }

    /** An answer with a body. */
    static Answer json(int status, String body, String... headers) {
        return answer(status, "application/json", body, headers);
    }

    static Answer problem(int status, String kind, String detail, String... headers) {
        return answer(
                status,
                "application/problem+json",
                "{\"type\":\"urn:csi4j:problem:" + kind + "\",\"status\":" + status + ",\"detail\":\"" + detail + "\"}",
                headers);
    }

    static Answer answer(int status, String type, String body, String... headers) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(
                "HTTP/1.1 " + status + " x\r\nContent-Type: " + type + "\r\nContent-Length: " + bytes.length + "\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        return out -> {
            out.write((head + "\r\n").getBytes(StandardCharsets.UTF_8));
            out.write(bytes);
        };
    }

    String address() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = socket.accept();
                daemon(() -> serve(connection));
            }
        } catch (IOException e) {
            assert socket.isClosed() : e;
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return;
                }
                head.append((char) next);
            }
            String length = head.toString()
                    .toLowerCase(java.util.Locale.ROOT)
                    .replaceAll("(?s).*content-length: (\\d+).*|.*", "$1");
            byte[] body = in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
            Request request = new Request(
                    head.substring(0, head.indexOf("\r\n")), head.toString(), new String(body, StandardCharsets.UTF_8));
            requests.add(request);
            OutputStream out = connection.getOutputStream();
            answers.apply(request).write(out);
            out.flush();
            connection.shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            return; // The shell has closed the connection, as some tests want.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
