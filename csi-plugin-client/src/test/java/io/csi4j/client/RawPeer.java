package io.csi4j.client;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener in place of a plugin that writes the bytes that a test gives. */
final class RawPeer implements AutoCloseable {
    /** Handles one connection, which is closed afterwards. */
    interface Script {
        void run(SocketChannel connection) throws IOException;
    }

    private final ServerSocketChannel listener;
    private final Thread thread;

    private RawPeer(Path socket, Script script) throws IOException {
        this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        this.thread = new Thread(() -> serve(script), "test-raw-peer");
        thread.setDaemon(true);
        thread.start();
    }

    static RawPeer start(Path socket, Script script) throws IOException {
        return new RawPeer(socket, script);
    }

    private void serve(Script script) {
        while (listener.isOpen()) {
            try {
                SocketChannel connection = listener.accept();
                Thread each = new Thread(() -> serve(connection, script), "test-raw-peer-connection");
                each.setDaemon(true);
                each.start();
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void serve(SocketChannel connection, Script script) {
        try (connection) {
            script.run(connection);
        } catch (IOException ended) {
            // Ignores a connection that either side has closed; the test checks the failure at the client.
        }
    }

    /** Writes {@code bytes} and reads until the client closes the connection. */
    static Script writes(byte[] bytes) {
        return connection -> {
            write(connection, bytes);
            drain(connection);
        };
    }

    /** Speaks HTTP/2 up to the first request, and answers the request with a HEADERS frame that ends the stream. */
    static Script answersWithHeaders(byte[] hpack) {
        return connection -> {
            write(connection, frame(4, 0, 0, new byte[0]));
            int stream = readRequest(connection);
            write(connection, frame(1, 0x5, stream, hpack));
            drain(connection);
        };
    }

    /** Speaks HTTP/2 up to the first request, and then writes a frame. */
    static Script answersWithFrame(int type, int flags, boolean onStream, byte[] payload) {
        return connection -> {
            write(connection, frame(4, 0, 0, new byte[0]));
            int stream = readRequest(connection);
            write(connection, frame(type, flags, onStream ? stream : 0, payload));
            drain(connection);
        };
    }

    /** Sends GOAWAY on the first connection at once; the next connection is handled by {@code then}. */
    static Script leavesFirst(Script then) {
        AtomicInteger connections = new AtomicInteger();
        return connection -> {
            if (connections.incrementAndGet() > 1) {
                then.run(connection);
                return;
            }
            byte[] settings = frame(4, 0, 0, new byte[0]);
            byte[] goAway = frame(7, 0, 0, new byte[8]);
            // Writes both frames at once, so that the client reads both before it can send a request.
            write(
                    connection,
                    ByteBuffer.allocate(settings.length + goAway.length)
                            .put(settings)
                            .put(goAway)
                            .array());
            drain(connection);
        };
    }

    private static int readRequest(SocketChannel connection) throws IOException {
        DataInputStream in = new DataInputStream(Channels.newInputStream(connection));
        in.readNBytes(24);
        while (true) {
            int lengthAndType = in.readInt();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            int type = lengthAndType & 0xff;
            in.readNBytes(lengthAndType >>> 8);
            if (type == 4 && (flags & 1) == 0) {
                write(connection, frame(4, 1, 0, new byte[0]));
            }
            if (type == 1) {
                return stream;
            }
        }
    }

    private static void drain(SocketChannel connection) throws IOException {
        InputStream in = Channels.newInputStream(connection);
        byte[] buffer = new byte[8192];
        int read;
        do {
            read = in.read(buffer);
        } while (read >= 0);
    }

    private static void write(SocketChannel connection, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            connection.write(buffer);
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** Encodes header fields as HPACK literals; the first field is written as {@code :status}. */
    static byte[] headers(String... namesAndValues) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            out.write(0);
            for (String part : new String[] {namesAndValues[i], namesAndValues[i + 1]}) {
                byte[] bytes = part.getBytes(StandardCharsets.US_ASCII);
                out.write(bytes.length);
                out.writeBytes(bytes);
            }
        }
        return out.toByteArray();
    }

    @Override
    public void close() {
        try {
            listener.close();
            thread.join(20_000);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
