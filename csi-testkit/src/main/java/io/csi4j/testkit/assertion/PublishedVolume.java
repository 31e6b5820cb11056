package io.csi4j.testkit.assertion;

import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Assertions about the nodes and targets to which a volume is published. */
public final class PublishedVolume {
    private final PluginAssert plugin;
    private final CallHistory history;
    private final String volumeId;
    private final Publications publications;

    PublishedVolume(PluginAssert plugin, CallHistory history, String volumeId, Publications publications) {
        this.plugin = plugin;
        this.history = history;
        this.volumeId = volumeId;
        this.publications = publications;
    }

    /** Verifies that the volume is published to a node. */
    public PluginAssert onNode(String nodeId) {
        Set<String> nodes = publications.nodes();
        return nodes.contains(nodeId) ? plugin : failing("published to node '" + nodeId + "', but it is to " + nodes);
    }

    /** Verifies that the volume is published to these nodes and to no others. */
    public PluginAssert onNodesOnly(String... nodeIds) {
        Set<String> nodes = publications.nodes();
        return nodes.equals(Set.of(nodeIds))
                ? plugin
                : failing("published to " + Set.of(nodeIds) + ", but it is to " + nodes);
    }

    /**
     * Verifies that the volume is published at a target, and that the last NodePublishVolume of each of its targets had
     * an entry in the volume context. A failure does not show the value.
     */
    public PluginAssert withVolumeContext(String key, String value) {
        return withVolumeContext(Map.of(key, value));
    }

    /**
     * Verifies that the volume is published at a target, and that the last NodePublishVolume of each of its targets had
     * these entries in the volume context, and maybe more. A failure does not show the values.
     */
    public PluginAssert withVolumeContext(Map<String, String> entries) {
        List<CallRecord> targets = publications.targets();
        if (targets.isEmpty()) {
            return failing("published at a target with the volume context " + new TreeSet<>(entries.keySet())
                    + ", but it is at no target");
        }
        for (CallRecord call : targets) {
            Optional<String> wrong = entries.entrySet().stream()
                    .filter(entry ->
                            !entry.getValue().equals(call.volumeContext().get(entry.getKey())))
                    .map(Map.Entry::getKey)
                    .min(Comparator.naturalOrder());
            if (wrong.isPresent()) {
                return failing("published with '" + wrong.get() + "' in the volume context, but call " + call.number()
                        + (call.volumeContext().containsKey(wrong.get()) ? " had another value" : " had no such key"));
            }
        }
        return plugin;
    }

    /** Verifies that the last NodePublishVolume of each target had none of these keys in the volume context. */
    public PluginAssert withoutVolumeContext(String... keys) {
        for (CallRecord call : publications.targets()) {
            for (String key : keys) {
                if (call.volumeContext().containsKey(key)) {
                    return failing("published without '" + key + "' in the volume context, but call " + call.number()
                            + " had it");
                }
            }
        }
        return plugin;
    }

    private PluginAssert failing(String expectation) {
        return plugin.failing(history, "expected that volume '" + volumeId + "' is " + expectation);
    }
}
