package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reports each undeclared controller once for its node and plugin, however often the node reports it, or stops to. If it
 * is declared, and later is not any more, it is reported again. Thread-safe.
 */
public final class UndeclaredControllers {
    /** The number of nodes and plugins that are remembered. A node that makes up plugins cannot fill the memory. */
    private static final int MOST = 1000;

    private final ControllerTrust trust;

    // Guarded by its own monitor.
    private final Map<Reported, Boolean> reported = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Reported, Boolean> oldest) {
            return size() > MOST;
        }
    };

    private record Reported(NodeId nodeId, PluginId pluginId) {}

    /** Creates an object that has reported nothing. */
    public UndeclaredControllers(ControllerTrust trust) {
        this.trust = trust;
    }

    /**
     * Reports the new undeclared controllers of a node.
     *
     * @param report gets each of them
     */
    public void check(StateReader state, NodeId nodeId, Consumer<InstanceKey> report) {
        for (PluginInstance instance : state.instancesOn(nodeId)) {
            InstanceKey key = instance.key();
            if (instance.proved() && key.type().servesController()) {
                Reported subject = new Reported(nodeId, key.pluginId());
                if (trust.trusts(state, key)) {
                    forget(subject);
                } else if (isNew(subject)) {
                    report.accept(key);
                }
            }
        }
    }

    private boolean isNew(Reported subject) {
        synchronized (reported) {
            return reported.put(subject, true) == null;
        }
    }

    private void forget(Reported subject) {
        synchronized (reported) {
            reported.remove(subject);
        }
    }
}
