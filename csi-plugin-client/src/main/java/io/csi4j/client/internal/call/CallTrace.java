package io.csi4j.client.internal.call;

import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;

/**
 * Records the progress of a call. gRPC reports many local failures with the same codes that the peer uses, for example a plugin; only this
 * trace distinguishes local failures from responses.
 */
public final class CallTrace extends ClientStreamTracer.Factory {
    private volatile boolean sent;
    private volatile boolean answered;

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new Tracer();
    }

    /** Returns whether the peer may have received the call. Otherwise the call had no effect. */
    public boolean sent() {
        return sent;
    }

    /** Returns whether the peer itself sent the status. */
    public boolean answered() {
        return answered;
    }

    /**
     * Returns whether the peer sent the given status with which the call ended. A status with a cause was created by gRPC in this process: a
     * status that the peer sent never has a cause.
     */
    public boolean fromPeer(Status status) {
        return answered && status.getCause() == null;
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
