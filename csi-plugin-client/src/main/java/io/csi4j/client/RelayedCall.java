package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.RelayedRequests;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Text;
import io.csi4j.core.rpc.CsiRequest;
import java.util.Objects;
import java.util.Optional;

/**
 * A call of a controller service on its way to a plugin elsewhere: the typed request, and the message in CSI's own
 * encoding, which keeps fields that this version does not know. Holds secrets, and shows none.
 */
public final class RelayedCall {
    private final CsiRequest request;
    private final RpcCall<?, ?> call;

    RelayedCall(CsiRequest request, RpcCall<?, ?> call) {
        this.request = request;
        this.call = call;
    }

    /**
     * Decodes a call that arrived as a message, and checks its request.
     *
     * @param rpc an RPC of the Controller, GroupController or SnapshotMetadata service: a call to a node's own services would bring
     *     paths along, and those are the node's business
     * @param message the request
     * @throws IllegalArgumentException if the RPC is of another service, or the message cannot be read
     * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule (R16-R25); it names all that is wrong
     */
    public static RelayedCall of(Rpc rpc, byte[] message) {
        RelayedRequests.Relayed relayed =
                RelayedRequests.read(Objects.requireNonNull(rpc, "rpc"), Objects.requireNonNull(message, "message"));
        return new RelayedCall(relayed.request(), relayed.call());
    }

    /** What is called. */
    public Rpc rpc() {
        return call.rpc();
    }

    /**
     * The request in CSI's own encoding.
     *
     * @return a new array; it may hold secrets
     */
    public byte[] message() {
        return ((Message) call.request()).toByteArray();
    }

    /**
     * What the call is about.
     *
     * @return an external volume id, a snapshot's or group's id, or the name of what is to be made; empty: none
     */
    public Optional<String> subject() {
        return Optional.ofNullable(call.volume());
    }

    /**
     * Whether the request carries a continuation token (R72).
     *
     * @return false for all but listings
     */
    public boolean continuesPage() {
        return call.continuesPage();
    }

    /**
     * A text of another's about this call, made fit to be shown: without what is sensitive in the request, on one
     * line, and not too long.
     *
     * @param text for people
     * @return the same, cleaned
     */
    public String shown(String text) {
        return TextSanitizer.clean(text, call.sensitive().get());
    }

    CsiRequest request() {
        return request;
    }

    RpcCall<?, ?> call() {
        return call;
    }

    /** Without the request: it may hold secrets. */
    @Override
    public String toString() {
        return "RelayedCall[" + rpc().csiName()
                + subject().map(of -> ", " + Text.shown(of)).orElse("") + "]";
    }
}
