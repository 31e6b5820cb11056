package io.csi4j.shell;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A connection to a server. Used by one thread; {@link #close} by any. */
interface Transport extends Closeable {
    void write(byte[] bytes) throws IOException;

    /**
     * Reads what is there, and waits for it.
     *
     * @return the number of bytes; -1 at the end
     * @throws SocketTimeoutException if nothing comes in time
     */
    int read(byte[] bytes, Duration limit) throws IOException;

    /**
     * Connects.
     *
     * @param tls makes the connections of TLS
     * @throws IOException if the server does not answer in time, or is not the one that the address names
     */
    static Transport connect(Address address, SSLSocketFactory tls, Duration limit) throws IOException {
        if (address.kind() == Address.Kind.UNIX) {
            return new UnixTransport(address);
        }
        String host = address.host().replaceAll("[\\[\\]]", "");
        InetSocketAddress target = new InetSocketAddress(host, address.port());
        if (target.isUnresolved()) {
            throw new UnknownHostException("its name has no address");
        }
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(target, millis(limit));
            if (address.kind() == Address.Kind.HTTP) {
                return new SocketTransport(socket);
            }
            socket.setSoTimeout(millis(limit));
            SSLSocket secure = (SSLSocket) tls.createSocket(socket, host, address.port(), true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return new SocketTransport(secure);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static int millis(Duration limit) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit.toMillis()));
    }

    /** A connection over the network. */
    final class SocketTransport implements Transport {
        private final Socket socket;

        SocketTransport(Socket socket) {
            this.socket = socket;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        }

        @Override
        public int read(byte[] bytes, Duration limit) throws IOException {
            socket.setSoTimeout(millis(limit));
            return socket.getInputStream().read(bytes);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** A connection over a Unix socket. */
    final class UnixTransport implements Transport {
        private final SocketChannel channel;
        private final Selector selector;

        UnixTransport(Address address) throws IOException {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(address.socket()));
                channel.configureBlocking(false);
                selector = Selector.open();
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                if (channel.write(buffer) == 0) {
                    await(SelectionKey.OP_WRITE, Duration.ofSeconds(30));
                }
            }
        }

        @Override
        public int read(byte[] bytes, Duration limit) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            int count = channel.read(buffer);
            if (count == 0) {
                await(SelectionKey.OP_READ, limit);
                count = channel.read(buffer);
            }
            return count;
        }

        private void await(int operation, Duration limit) throws IOException {
            channel.register(selector, operation);
            selector.selectedKeys().clear();
            if (selector.select(millis(limit)) == 0) {
                throw new SocketTimeoutException("no answer in " + limit.toSeconds() + " s");
            }
        }

        @Override
        public void close() throws IOException {
            selector.close();
            channel.close();
        }
    }
}
