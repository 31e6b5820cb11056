package io.csi4j.testkit.sim;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The storage itself: which volume is attached to which node, whatever anybody believes. */
final class SimProvider {
    private static final String MADE = "made-";

    private final Set<String> made = new TreeSet<>();
    private final Map<String, Set<String>> attached = new TreeMap<>();
    private final Set<String> multiNode = new HashSet<>();
    private final Map<String, Integer> busy = new HashMap<>();

    void add(ExternalVolumeId volume, boolean severalNodes) {
        attached.put(volume.value(), new TreeSet<>());
        if (severalNodes) {
            multiNode.add(volume.value());
        }
    }

    boolean knows(ExternalVolumeId volume) {
        return attached.containsKey(volume.value());
    }

    Set<String> nodes(String volume) {
        return attached.getOrDefault(volume, Set.of());
    }

    Map<String, Set<String>> attachments() {
        return attached;
    }

    boolean isAttached(ExternalVolumeId volume, ExternalNodeId node) {
        return nodes(volume.value()).contains(node.value());
    }

    /** False: it is attached elsewhere, and can be at one node only. */
    boolean attach(ExternalVolumeId volume, ExternalNodeId node) {
        Set<String> nodes = attached.get(volume.value());
        if (nodes == null
                || (!nodes.isEmpty() && !nodes.contains(node.value()) && !multiNode.contains(volume.value()))) {
            return false;
        }
        nodes.add(node.value());
        return true;
    }

    void detach(ExternalVolumeId volume, ExternalNodeId node) {
        Set<String> nodes = attached.get(volume.value());
        if (nodes != null) {
            nodes.remove(node.value());
        }
    }

    /** The volume of that name, made now if there is none (R51). */
    ExternalVolumeId make(String name) {
        made.add(MADE + name);
        return ExternalVolumeId.of(MADE + name);
    }

    void delete(ExternalVolumeId volume) {
        made.remove(volume.value());
    }

    Set<String> made() {
        return made;
    }

    /** Whether a call for the volume is being worked on; others are then ABORTED. */
    boolean busy(ExternalVolumeId volume) {
        return busy.containsKey(volume.value());
    }

    void begin(ExternalVolumeId volume) {
        busy.merge(volume.value(), 1, Integer::sum);
    }

    void end(ExternalVolumeId volume) {
        busy.computeIfPresent(volume.value(), (key, count) -> count == 1 ? null : count - 1);
    }
}
