package io.csi4j.testkit.history;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One call that a plugin got.
 *
 * @param number the number of the call at its plugin, beginning with 1, in the order of arrival
 * @param rpc the RPC
 * @param volume the volume; for CreateVolume the id in the answer, or the name if there is no answer; empty: the request names none
 * @param node the node of the request, or the plugin's node for the calls of the node service
 * @param arguments the fields of the request by their names in CSI; confidential ones have the value {@code (hidden)}
 * @param volumeContext the volume context of the request. No text or table shows it, because it may contain the tokens of a workload
 * @param withSecrets whether the request contained secrets
 * @param time beginning and end
 * @param result the result at the plugin; empty: the plugin has not handled the call, or not yet. A caller may have got another one: see {@code fault}
 * @param fault the rule of the fault that changed the call; empty: none
 */
public record CallRecord(
        long number,
        Rpc rpc,
        Optional<String> volume,
        Optional<String> node,
        Map<String, String> arguments,
        Map<String, String> volumeContext,
        boolean withSecrets,
        CallTime time,
        Optional<CallResult> result,
        Optional<String> fault) {
    /** Copies the arguments and the volume context. */
    public CallRecord {
        arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
        volumeContext = Map.copyOf(volumeContext);
    }

    /** Returns whether the plugin handled the call successfully, whether or not the caller got the answer. */
    public boolean succeeded() {
        return result.filter(done -> done.code() == StatusCode.OK).isPresent();
    }

    /** Returns whether the plugin refused the call, or a fault failed it. */
    public boolean failed() {
        return result.filter(done -> done.code() != StatusCode.OK).isPresent();
    }

    /** Returns whether the call has not ended. */
    public boolean inFlight() {
        return time.end().isEmpty();
    }

    CallRecord later(long numbers, long orders) {
        return new CallRecord(
                number + numbers,
                rpc,
                volume,
                node,
                arguments,
                volumeContext,
                withSecrets,
                time.later(orders),
                result,
                fault);
    }

    /** Returns the outcome in a few words, like {@code OK} or {@code (in flight)}. */
    String outcome() {
        String ended = inFlight() ? "(in flight)" : "(no answer)";
        return result.map(done -> done.code().name()).orElse(ended);
    }

    /** Returns the call as one line of a table. */
    @Override
    public String toString() {
        return number + " " + rpc.csiName() + volume.map(id -> " " + id).orElse("")
                + node.map(id -> " on " + id).orElse("") + ": " + outcome();
    }
}
