package io.csi4j.testkit;

import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultBuilder;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import java.util.List;
import java.util.Optional;

/**
 * A fake plugin that accepts fault rules and keeps a history of its calls. It runs in this process or in its own. Thread-safe.
 *
 * <p>The methods of a plugin in its own process fail with an {@link IllegalStateException} while the process does not run, except {@link #history}.
 */
public interface ObservablePlugin {
    /** Returns an address for clients, like {@code unix:///run/x.sock}. */
    String endpoint();

    /**
     * Begins a fault for the calls of an RPC.
     *
     * @return a builder for the conditions of the fault and its effect, for example {@code times(2).failWith(code)}.
     *     The fault takes effect when the effect method, here {@code failWith}, is called; its rule is tried after the
     *     existing rules
     */
    default FaultBuilder onCall(Rpc rpc) {
        return new FaultBuilder(Optional.of(rpc), this::addFault);
    }

    /** Begins a fault for the calls of all RPCs, probes included. */
    default FaultBuilder onAnyCall() {
        return new FaultBuilder(Optional.empty(), this::addFault);
    }

    /** Adds a rule, which is tried after all rules that were added before. */
    Fault addFault(FaultRule rule);

    /**
     * Adds the rules of a script.
     *
     * @param script in the form of {@link FaultScript}
     * @return the rules, in the order of the script
     * @throws io.csi4j.testkit.fault.FaultScriptException if a line cannot be read; no rule is added then
     */
    default List<Fault> addFaults(String script) {
        return FaultScript.parse(script).stream().map(this::addFault).toList();
    }

    /** Returns the rules, in the order in which they are tried. A rule stays in the list when it is used up. */
    List<Fault> faults();

    /** Removes all fault rules. Calls that a rule kept hanging are handled now. */
    void removeFaults();

    /** Returns the calls of this plugin so far. */
    CallHistory history();

    /**
     * Returns what callers have created at the plugin's storage and have not removed: volumes, snapshots, attachments
     * and mounts. Plugins that share a storage return the same leaks.
     */
    List<Leak> leaks();

    /**
     * Returns the names of volumes, snapshots and group snapshots that callers asked for twice with different fields (R29). Secrets may differ. A name
     * is free for another request when its object is deleted, and when the plugin answered the first request with INVALID_ARGUMENT, OUT_OF_RANGE or
     * ALREADY_EXISTS, because CSI then demands another request (R58). Plugins that share a storage return the same list; a storage in a directory
     * keeps it.
     */
    List<ChangedRequest> changedRequests();
}
