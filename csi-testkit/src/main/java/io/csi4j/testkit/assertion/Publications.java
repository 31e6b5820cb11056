package io.csi4j.testkit.assertion;

import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The nodes and targets to which a volume is published after the calls of a history. */
final class Publications {
    private final Set<String> attached = new TreeSet<>();
    /** The last NodePublishVolume for each target, by the node. */
    private final Map<String, Map<String, CallRecord>> targets = new TreeMap<>();

    private Publications() {}

    static Publications of(CallHistory history, String volumeId) {
        Publications publications = new Publications();
        history.ofVolume(volumeId).calls().stream()
                .filter(CallRecord::succeeded)
                .forEach(publications::add);
        return publications;
    }

    private void add(CallRecord call) {
        String node = call.node().orElse("");
        String target = call.arguments().getOrDefault("target_path", "");
        if (call.rpc() == Rpc.CONTROLLER_PUBLISH_VOLUME) {
            attached.add(node);
        } else if (call.rpc() == Rpc.CONTROLLER_UNPUBLISH_VOLUME && node.isEmpty()) {
            attached.clear();
            targets.clear();
        } else if (call.rpc() == Rpc.CONTROLLER_UNPUBLISH_VOLUME) {
            attached.remove(node);
            targets.remove(node);
        } else if (call.rpc() == Rpc.NODE_PUBLISH_VOLUME) {
            targets.computeIfAbsent(node, none -> new TreeMap<>()).put(target, call);
        } else if (call.rpc() == Rpc.NODE_UNPUBLISH_VOLUME && targets.containsKey(node)) {
            targets.get(node).remove(target);
        }
    }

    Set<String> nodes() {
        Set<String> nodes = new TreeSet<>(attached);
        targets.forEach((node, calls) -> {
            if (!calls.isEmpty()) {
                nodes.add(node);
            }
        });
        return nodes;
    }

    /** Returns the NodePublishVolume of each target. */
    List<CallRecord> targets() {
        List<CallRecord> all = new ArrayList<>();
        targets.values().forEach(calls -> all.addAll(calls.values()));
        return all;
    }
}
