package io.csi4j.agent.internal.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A client of HTTP/2 that begins calls and resets them at once, as fast as its connection takes the frames. */
public final class StreamResets {
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_HEADERS = 4;
    private static final byte[] CANCEL = {0, 0, 0, 8};
    private static final int BATCH = 100;

    private StreamResets() {}

    /** Resets that many streams over one connection; returns whether the server closed the connection before. */
    public static boolean untilClosed(SocketAddress server, String path, int streams) {
        byte[] headers = headers(path);
        try (SocketChannel connection = SocketChannel.open(server)) {
            ByteArrayOutputStream frames = new ByteArrayOutputStream();
            frames.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            frame(frames, SETTINGS, 0, 0, new byte[0]);
            for (int i = 0; i < streams; i++) {
                frame(frames, HEADERS, END_HEADERS, 2 * i + 1, headers);
                frame(frames, RST_STREAM, 0, 2 * i + 1, CANCEL);
                if (i % BATCH == 0) {
                    try {
                        send(connection, frames);
                    } catch (IOException closed) {
                        return true;
                    }
                }
            }
            return false;
        } catch (IOException unreachable) {
            throw new AssertionError("the server cannot be reached", unreachable);
        }
    }

    private static void send(SocketChannel connection, ByteArrayOutputStream frames) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(frames.toByteArray());
        frames.reset();
        while (bytes.hasRemaining()) {
            connection.write(bytes);
        }
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.write(payload.length >> 16);
        out.write(payload.length >> 8);
        out.write(payload.length);
        out.write(type);
        out.write(flags);
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(stream).array());
        out.writeBytes(payload);
    }

    /** Returns the header fields of a gRPC call, without compression (RFC 7541). */
    private static byte[] headers(String path) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(0x83); // :method POST
        out.write(0x86); // :scheme http
        out.write(0x04); // :path
        text(out, path);
        out.write(0x01); // :authority
        text(out, "localhost");
        out.write(0x0f); // content-type
        out.write(0x10);
        text(out, "application/grpc");
        out.write(0x00);
        text(out, "te");
        text(out, "trailers");
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.write(text.length());
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
}
