package io.csi4j.agent.internal.relay;

import io.csi4j.agent.internal.wire.WireException;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.transport.RemoteFailureException;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The subject of a call to an agent, and the exceptions for its failures.
 *
 * @param rpc the RPC that is called on the node; of a request to the node itself, the one whose rules it follows
 * @param name the name of the RPC or of the request, for messages
 * @param plugin the plugin
 * @param volume the volume; null: none
 * @param node the node of the agent
 * @param redacted makes a text of the peer safe to show
 */
public record CallContext(
        Rpc rpc, String name, String plugin, @Nullable String volume, NodeId node, UnaryOperator<String> redacted) {
    /** Creates the context of an RPC. */
    public CallContext(Rpc rpc, String plugin, @Nullable String volume, NodeId node, UnaryOperator<String> redacted) {
        this(rpc, rpc.csiName(), plugin, volume, node, redacted);
    }

    /** Returns the context of a request that concerns the node and no plugin. */
    public static CallContext ofNode(String name, NodeId node) {
        return new CallContext(Rpc.NODE_GET_INFO, name, "", null, node, PeerText::plain);
    }

    /** Returns the exception for a request that got no response. */
    public CsiCallException withoutResponse(WireException lost, String way) {
        String effect = lost.maybeSent()
                ? "Whether it took effect is not known: call again with the same fields."
                : lost.cure().isEmpty()
                        ? "The call was not sent, so it changed nothing: call again once the agent can be reached."
                        : "The call was not served, so it changed nothing: call again once that is done.";
        return call(lost.code(), way + " was asked for " + name + subject() + ": " + lost.explained() + ". " + effect);
    }

    /** Returns the exception for a node without a route. */
    public CsiCallException noWay() {
        return call(
                StatusCode.UNAVAILABLE,
                name + subject() + " on node " + node
                        + " was not sent: no way to its agent is known. See to it that the node's agent is in the"
                        + " directory of nodes.");
    }

    /** Returns the exception for a response that does not fit the request. */
    public CsiCallException strange(String problem) {
        return call(
                StatusCode.UNKNOWN,
                name + subject() + " on node " + node + ": the answer of its agent cannot be used, " + problem
                        + ". Whether it took effect is not known: call again with the same fields.");
    }

    private CsiCallException call(StatusCode code, String message) {
        return new CsiCallException(
                rpc,
                plugin,
                volume,
                code,
                CallRules.defaults().of(rpc, code, false).outcome(),
                message,
                message,
                null);
    }

    /** Returns the exception that a caller on the peer's node would get for a failure that the peer reported. */
    public RuntimeException failed(Failure failure) {
        String said = reported(failure);
        return switch (failure.getKind()) {
            case FAILURE_KIND_CALL ->
                new CsiCallException(
                        rpc, plugin, volume, FailureCodec.code(failure), FailureCodec.outcome(failure), said, null);
            case FAILURE_KIND_REQUEST -> request(failure, said);
            case FAILURE_KIND_DENIED, FAILURE_KIND_VERSION ->
                // Reports UNAVAILABLE, because the caller cannot reach the agent.
                new CsiCallException(
                        rpc, plugin, volume, StatusCode.UNAVAILABLE, CallOutcome.OUTCOME_UNKNOWN, said, null);
            case FAILURE_KIND_NODE,
                    FAILURE_KIND_REJECTED,
                    FAILURE_KIND_NOT_LEADING,
                    FAILURE_KIND_UNSPECIFIED,
                    UNRECOGNIZED -> new RemoteFailureException(said, notDone(failure), FailureCodec.mayRepeat(failure));
        };
    }

    private RuntimeException request(Failure failure, String said) {
        List<Problem> problems = FailureCodec.problems(failure, redacted);
        return problems.isEmpty()
                ? new CsiCallException(
                        rpc, plugin, volume, StatusCode.INVALID_ARGUMENT, CallOutcome.CHANGE_REQUEST, said, null)
                : new CsiRequestException(rpc.csiName() + "Request", problems);
    }

    private String reported(Failure failure) {
        // Does not put the RPC and the volume before the text of a plugin's failure, because the client on the node has
        // already added them and made the text safe to show.
        return failure.getOrigin() == Origin.ORIGIN_PLUGIN
                ? PeerText.plain(failure.getMessage()) + " (reported by the agent of node " + node + ")"
                : name + subject() + " on node " + node + ": " + redacted.apply(failure.getMessage());
    }

    /** Returns the part of an error message about a call that was not performed that may be stored. */
    private String notDone(Failure failure) {
        String at = plugin.isEmpty() ? "" : " at plugin " + plugin;
        String why = failure.getSummary().isEmpty()
                ? "; the report of the node has the reason"
                : ": " + redacted.apply(failure.getSummary());
        return name + subject() + at + " on node " + node + " is not done" + why;
    }

    private String subject() {
        return volume == null ? "" : " for " + volume;
    }
}
