package io.csi4j.testkit.assertion;

import io.csi4j.testkit.ObservablePlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Assertions about a fake plugin. Each assertion reads the history when it is called. */
public final class PluginAssert extends AbstractHistoryAssert<PluginAssert, ObservablePlugin> {
    PluginAssert(ObservablePlugin actual) {
        super(actual, PluginAssert.class);
    }

    @Override
    CallHistory history() {
        return actual.history();
    }

    /**
     * Verifies that a volume is published to a node: a ControllerPublishVolume or a NodePublishVolume took effect, and no
     * later call has undone it.
     *
     * @param volumeId the id of the volume at the plugin
     * @return assertions about its nodes and targets
     */
    public PublishedVolume published(String volumeId) {
        isNotNull();
        CallHistory history = history();
        Publications publications = Publications.of(history, volumeId);
        if (publications.nodes().isEmpty()) {
            failing(history, "expected that volume '" + volumeId + "' is published to a node, but it is not");
        }
        return new PublishedVolume(this, history, volumeId, publications);
    }

    /** Verifies that a volume is published to no node. */
    public PluginAssert notPublished(String volumeId) {
        isNotNull();
        CallHistory history = history();
        Set<String> nodes = Publications.of(history, volumeId).nodes();
        return nodes.isEmpty()
                ? this
                : failing(history, "expected that volume '" + volumeId + "' is not published, but it is, to " + nodes);
    }

    /** Verifies that callers have left nothing at the plugin's storage: no volume, snapshot, attachment, staging or publication. */
    public PluginAssert hasNoLeaks() {
        isNotNull();
        List<Leak> leaks = actual.leaks();
        return leaks.isEmpty()
                ? this
                : failing(
                        history(),
                        "expected no leaks, but "
                                + leaks.stream().map(Leak::toString).collect(Collectors.joining("; ")));
    }

    /** Verifies that all requests which created a volume or snapshot of the same name had the same fields, secrets excepted (R29). */
    public PluginAssert sawNoChangedRequests() {
        isNotNull();
        List<ChangedRequest> changed = actual.changedRequests();
        return changed.isEmpty()
                ? this
                : failing(
                        history(),
                        "expected that requests with the same name are equal, but "
                                + changed.stream().map(ChangedRequest::toString).collect(Collectors.joining("; ")));
    }

    /** Verifies that each fault rule of the plugin has acted at least once. */
    public PluginAssert usedAllFaults() {
        isNotNull();
        List<String> unused = actual.faults().stream()
                .filter(fault -> fault.used() == 0)
                .map(Fault::rule)
                .map(Object::toString)
                .toList();
        return unused.isEmpty()
                ? this
                : failing(
                        history(), "expected that each fault is used, but these are not: " + String.join("; ", unused));
    }
}
