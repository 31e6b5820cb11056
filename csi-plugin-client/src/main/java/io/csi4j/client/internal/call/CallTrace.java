package io.csi4j.client.internal.call;

import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;

/**
 * Records the progress of a call. gRPC reports many local failures with the same codes that plugins use; only this trace distinguishes
 * local failures from responses.
 */
final class CallTrace extends ClientStreamTracer.Factory {
    private volatile boolean sent;
    private volatile boolean answered;

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new Tracer();
    }

    /** Returns whether the plugin may have received the call. Otherwise the call had no effect. */
    boolean sent() {
        return sent;
    }

    /** Returns whether the plugin itself sent the status. */
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
