package io.csi4j.agent.internal.wire;

import io.csi4j.agent.spi.PeerRules;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Identifies the caller of each gRPC call, so that the service can check it. */
public final class PeerInterceptor implements ServerInterceptor {
    private static final Context.Key<WireCaller> PEER = Context.key("csi4j-peer");
    private static final WireCaller NO_PEER = new WireCaller(false, null, "a caller without a certificate");

    private final Function<@Nullable SSLSession, WireCaller> peers;

    private PeerInterceptor(Function<@Nullable SSLSession, WireCaller> peers) {
        this.peers = peers;
    }

    /** Returns an interceptor for an address that only one peer can reach: a socket in a private directory, or a loopback address. */
    public static PeerInterceptor bound(WireCaller peer) {
        return new PeerInterceptor(session -> peer);
    }

    /** Returns an interceptor that identifies callers by their certificates. */
    public static PeerInterceptor byCertificate(PeerRules rules) {
        return new PeerInterceptor(session -> {
            X509Certificate certificate = session == null ? null : certificate(session);
            return certificate == null
                    ? NO_PEER
                    : new WireCaller(
                            rules.isServer(certificate),
                            rules.node(certificate).orElse(null),
                            PeerIdentity.of(certificate, rules));
        });
    }

    private static @Nullable X509Certificate certificate(SSLSession session) {
        try {
            Certificate first = session.getPeerCertificates()[0];
            return first instanceof X509Certificate certificate ? certificate : null;
        } catch (SSLPeerUnverifiedException noOne) {
            return null;
        }
    }

    /** Returns the caller of the present call. */
    public static WireCaller current() {
        WireCaller peer = PEER.get();
        return peer == null ? NO_PEER : peer;
    }

    /** Returns the caller at the other end of a connection. */
    WireCaller of(Attributes connection) {
        return peers.apply(connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        WireCaller peer = of(call.getAttributes());
        return Contexts.interceptCall(Context.current().withValue(PEER, peer), call, headers, next);
    }
}
