package io.csi4j.client.internal.call;

import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;

/**
 * How far a call came. gRPC reports many local failures with the codes that plugins use; only what is
 * noted here tells one from the other.
 */
final class CallTrace extends ClientStreamTracer.Factory {
    private volatile boolean sent;
    private volatile boolean answered;

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new Tracer();
    }

    /** Whether the plugin may have seen the call. If not, it had no effect. */
    boolean sent() {
        return sent;
    }

    /** Whether the status is the plugin's own. */
    boolean answered() {
        return answered;
    }

    private final class Tracer extends ClientStreamTracer {
        @Override
        public void outboundHeaders() {
            sent = true;
        }

        @Override
        public void inboundTrailers(Metadata trailers) {
            answered = true;
        }
    }
}
