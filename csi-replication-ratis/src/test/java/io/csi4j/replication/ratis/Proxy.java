package io.csi4j.replication.ratis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy in front of a peer. While it is cut, bytes wait, as in a network that loses packets. It can be cut for the
 * connections of one peer, and for one direction of them: the first message of a connection names the peer that opened it.
 */
final class Proxy implements AutoCloseable {
    private static final int BUFFER = 1 << 14;

    private static final byte[] NAME = "peer-".getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    private Cut cut = (origin, toPeer) -> false;

    Proxy(int target) throws IOException {
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Decides which bytes wait. */
    @FunctionalInterface
    interface Cut {
        /**
         * Returns whether bytes wait.
         *
         * @param origin the number in the name of the peer that opened the connection, {@code peer-0} to {@code peer-9}.
         *     The number of this peer itself: the connection has commands of any peer. -1: it has no message yet
         * @param toPeer whether the bytes are on their way to the peer, and not from it
         */
        boolean waits(int origin, boolean toPeer);
    }

    /** One connection. */
    private static final class Connection {
        volatile int origin = -1;
    }

    /** Cuts or heals all connections in both directions. */
    void cut(boolean now) {
        cut((origin, toPeer) -> now);
    }

    void cut(Cut now) {
        synchronized (gate) {
            cut = now;
            gate.notifyAll();
        }
    }

    private void pass(Connection connection, boolean toPeer) throws InterruptedException {
        synchronized (gate) {
            while (cut.waits(connection.origin, toPeer)) {
                gate.wait();
            }
        }
    }

    /** Returns the number after the first name of a peer in a message; -1 without one. */
    private static int firstNumber(byte[] message, int length) {
        for (int start = 0; start + NAME.length < length; start++) {
            if (Arrays.equals(message, start, start + NAME.length, NAME, 0, NAME.length)) {
                return message[start + NAME.length] - '0';
            }
        }
        return -1;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "test-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                sockets.add(client);
                daemon(() -> connect(client));
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private void connect(Socket client) {
        try {
            Socket peer = new Socket();
            sockets.add(peer);
            peer.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            Connection connection = new Connection();
            daemon(() -> copy(client, peer, connection, true));
            copy(peer, client, connection, false);
        } catch (IOException unreachable) {
            close(client);
        }
    }

    private void copy(Socket from, Socket to, Connection connection, boolean toPeer) {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (toPeer && connection.origin < 0) {
                    connection.origin = firstNumber(buffer, count);
                }
                pass(connection, toPeer);
                out.write(buffer, 0, count);
            }
        } catch (IOException closed) {
            // The other side has closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        cut(false);
        server.close();
        sockets.forEach(Proxy::close);
    }
}
