package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.RelayedRequests;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.internal.text.Text;
import java.util.Objects;
import java.util.Optional;

/**
 * A call of a controller service that is relayed to a plugin, in this process or over the network. Holds the message in CSI's own
 * encoding, which also has the fields that this version of csi4j does not know. Contains secrets; {@code toString} shows none.
 */
public final class RelayedCall {
    private final RpcCall<?, ?> call;

    RelayedCall(RpcCall<?, ?> call) {
        this.call = call;
    }

    /**
     * Decodes a call that arrived as a message. The sender has checked the content (R16-R25) and the capabilities that its fields need.
     *
     * @param rpc an RPC of the Controller, GroupController or SnapshotMetadata service. Calls of the Node service are not relayed,
     *     because their paths belong to the node
     * @param message the encoded request
     * @throws IllegalArgumentException if the RPC is of another service, or the message cannot be decoded
     */
    public static RelayedCall of(Rpc rpc, byte[] message) {
        return new RelayedCall(
                RelayedRequests.call(Objects.requireNonNull(rpc, "rpc"), Objects.requireNonNull(message, "message")));
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
     * Returns the subject of the call: the external id of a volume, snapshot or group, or the name of the object to create. Empty if the
     * call has no subject.
     */
    public Optional<String> subject() {
        return Optional.ofNullable(call.subject());
    }

    /**
     * Makes a text about this call safe to show: removes the request's sensitive values and line breaks from the text, and limits the
     * length of the text.
     *
     * @param text a text for operators
     */
    public String redacted(String text) {
        return TextSanitizer.clean(text, call.sensitive().get());
    }

    RpcCall<?, ?> call() {
        return call;
    }

    /** Returns a text without the request, which may contain secrets. */
    @Override
    public String toString() {
        return "RelayedCall[" + rpc().csiName()
                + subject().map(of -> ", " + Text.printable(of)).orElse("") + "]";
    }
}
