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
 * A call of a controller service on its way to a plugin on another machine: the typed request, and the message in CSI's own
 * encoding, which keeps fields that this version does not know. Contains secrets; {@code toString} shows none.
 */
public final class RelayedCall {
    private final CsiRequest request;
    private final RpcCall<?, ?> call;

    RelayedCall(CsiRequest request, RpcCall<?, ?> call) {
        this.request = request;
        this.call = call;
    }

    /**
     * Decodes and checks a call that arrived as a message.
     *
     * @param rpc an RPC of the Controller, GroupController or SnapshotMetadata service. Calls of the Node service are not relayed,
     *     because their paths belong to the node
     * @param message the encoded request
     * @throws IllegalArgumentException if the RPC is of another service, or the message cannot be decoded
     * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule (R16-R25); lists all problems
     */
    public static RelayedCall of(Rpc rpc, byte[] message) {
        RelayedRequests.Relayed relayed =
                RelayedRequests.read(Objects.requireNonNull(rpc, "rpc"), Objects.requireNonNull(message, "message"));
        return new RelayedCall(relayed.request(), relayed.call());
    }

    public Rpc rpc() {
        return call.rpc();
    }

    /**
     * Returns the request in CSI's own encoding.
     *
     * @return a new array; may contain secrets
     */
    public byte[] message() {
        return ((Message) call.request()).toByteArray();
    }

    /**
     * Returns the subject of the call: an external id of a volume, snapshot or group, or the name of an object to create; empty: none.
     */
    public Optional<String> subject() {
        return Optional.ofNullable(call.volume());
    }

    /** Returns whether the request contains the token of a next page (R72); false for all RPCs but lists. */
    public boolean continuesPage() {
        return call.continuesPage();
    }

    /**
     * Cleans a text about this call, so that it may be shown: removes the request's sensitive values and line breaks, and limits its
     * length.
     *
     * @param text for operators
     */
    public String redacted(String text) {
        return TextSanitizer.clean(text, call.sensitive().get());
    }

    CsiRequest request() {
        return request;
    }

    RpcCall<?, ?> call() {
        return call;
    }

    /** Leaves out the request, because it may contain secrets. */
    @Override
    public String toString() {
        return "RelayedCall[" + rpc().csiName()
                + subject().map(of -> ", " + Text.printable(of)).orElse("") + "]";
    }
}
