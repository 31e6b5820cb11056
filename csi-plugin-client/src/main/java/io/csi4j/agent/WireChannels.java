package io.csi4j.agent;

import io.csi4j.client.Endpoint;
import io.csi4j.client.TlsOptions;
import io.csi4j.core.id.NodeId;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connections to others, one for each; nothing is connected before it is used. */
final class WireChannels implements AutoCloseable {
    private static final int MAX_METADATA_SIZE = 1 << 20;

    private final WireCommons wire;
    private final PeerRules rules;
    private final ConcurrentMap<Whom, ManagedChannel> channels = new ConcurrentHashMap<>();

    WireChannels(WireCommons wire, PeerRules rules) {
        this.wire = wire;
        this.rules = rules;
    }

    /**
     * Whom we want to talk to.
     *
     * @param endpoint where it is
     * @param node the node whose agent it has to be; empty: it has to be a server
     */
    record Whom(Endpoint endpoint, Optional<NodeId> node) {
        @Override
        public String toString() {
            return node.map(id -> "the agent of node " + id).orElse("the server") + " at " + endpoint;
        }
    }

    /**
     * The connection to somebody.
     *
     * @throws WireException if this is closed
     * @throws IllegalArgumentException if the endpoint's certificates cannot be used
     */
    ManagedChannel to(Whom whom) {
        if (wire.isClosed()) {
            throw WireException.closed();
        }
        ManagedChannel channel = channels.computeIfAbsent(whom, this::open);
        if (wire.isClosed()) {
            channel.shutdownNow();
        }
        return channel;
    }

    /** The agent of a node is nowhere else any more: what is under way there ends by itself. */
    void forgetOthers(Whom kept) {
        channels.forEach((whom, channel) -> {
            if (whom.node().isPresent() && whom.node().equals(kept.node()) && !whom.equals(kept)) {
                channels.remove(whom, channel);
                channel.shutdown();
            }
        });
    }

    private ManagedChannel open(Whom whom) {
        return builder(whom)
                .eventLoopGroup(wire.threads().group())
                .executor(wire.executor())
                .offloadExecutor(wire.executor())
                .maxInboundMessageSize(WireServer.MAX_MESSAGE)
                .maxInboundMetadataSize(MAX_METADATA_SIZE)
                // A repeat is the engine's decision, or that of the discipline at the plugin.
                .disableRetry()
                .disableServiceConfigLookUp()
                .build();
    }

    private NettyChannelBuilder builder(Whom whom) {
        Endpoint endpoint = whom.endpoint();
        @Nullable Path path = endpoint.path().orElse(null);
        if (path != null) {
            return NettyChannelBuilder.forAddress(wire.threads().address(path))
                    .channelType(wire.threads().unixChannel())
                    // Unix sockets have no such option; gRPC sets it all the same, and Netty warns.
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext();
        }
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget(
                        "dns:///" + endpoint.authority().orElseThrow())
                .channelType(wire.threads().tcpChannel())
                // A machine that loses its power says no goodbye.
                .keepAliveTime(WireServer.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(WireServer.KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS);
        @Nullable TlsOptions tls = endpoint.tls().orElse(null);
        if (tls == null) {
            return builder.usePlaintext();
        }
        tls.serverName().ifPresent(builder::overrideAuthority);
        return builder.sslContext(wire.identity(tls).clientContext(certificate -> check(whom, certificate)));
    }

    /** Secrets go to whom they are meant for, and what we are told comes from whom we asked. */
    private void check(Whom whom, X509Certificate certificate) throws CertificateException {
        boolean right =
                whom.node().isPresent() ? rules.node(certificate).equals(whom.node()) : rules.isServer(certificate);
        if (!right) {
            throw new CertificateException("the certificate of "
                    + certificate.getSubjectX500Principal().getName() + " is not that of " + whom
                    + "; see the rules for peers");
        }
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }
}
