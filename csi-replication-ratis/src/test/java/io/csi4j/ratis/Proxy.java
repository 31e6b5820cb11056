package io.csi4j.ratis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy in front of a peer. While it is cut, bytes in both directions wait, as in a network that loses packets. */
final class Proxy implements AutoCloseable {
    private static final int BUFFER = 1 << 14;

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    private boolean cut;

    Proxy(int target) throws IOException {
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    void cut(boolean now) {
        synchronized (gate) {
            cut = now;
            gate.notifyAll();
        }
    }

    private void pass() throws InterruptedException {
        synchronized (gate) {
            while (cut) {
                gate.wait();
            }
        }
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
            daemon(() -> copy(client, peer));
            copy(peer, client);
        } catch (IOException unreachable) {
            close(client);
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                pass();
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
