package io.csi4j.client.internal.call;

import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;

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

    /**
     * Returns whether the plugin sent the given status with which the call ended. A status with a cause was created by gRPC in this process: a status that the
     * plugin sent never has a cause.
     */
    boolean fromPlugin(Status status) {
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
