package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Text;
import java.util.Objects;
import java.util.Optional;

/**
 * A call of a controller service on its way to a plugin elsewhere: the RPC, and the request in CSI's own encoding.
 * Fields that this version does not know are kept. Holds secrets, and shows none.
 */
public final class RelayedCall {
    private final RpcCall<?, ?> call;
    private final byte[] message;

    private RelayedCall(RpcCall<?, ?> call, byte[] message) {
        this.call = call;
        this.message = message;
    }

    /**
     * A call as it came over some wire.
     *
     * @param rpc an RPC of the Controller, GroupController or SnapshotMetadata service: a call to a node's own services would bring
     *     paths along, and those are the node's business
     * @param message the request
     * @throws IllegalArgumentException if the RPC is of another service, or the message cannot be read
     */
    public static RelayedCall of(Rpc rpc, byte[] message) {
        return new RelayedCall(RelayedRpcs.read(Objects.requireNonNull(rpc, "rpc"), message), message.clone());
    }

    static RelayedCall of(RpcCall<?, ?> call) {
        return new RelayedCall(call, ((Message) call.request()).toByteArray());
    }

    /** What is called. */
    public Rpc rpc() {
        return call.rpc();
    }

    /**
     * The request in CSI's own encoding.
     *
     * @return a copy; it may hold secrets
     */
    public byte[] message() {
        return message.clone();
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
        return PeerText.clean(text, call.sensitive().get());
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
