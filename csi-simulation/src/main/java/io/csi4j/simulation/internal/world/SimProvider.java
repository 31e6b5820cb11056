package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.simulation.internal.time.SimLocks;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The storage system: the real attachments, sizes and parameters of all volumes. */
public final class SimProvider {
    private static final String CREATED_PREFIX = "made-";

    /** The capability with which a volume is attached. */
    public record Use(VolumeCapability capability, boolean readonly) {
        /** Returns the capability and the read-only flag of an attachment row. */
        public static Use of(Attachment attachment) {
            return new Use(
                    attachment
                            .capability()
                            .toVolumeCapability(attachment.mountOptions().withoutGroup()),
                    attachment.readonly());
        }

        public VolumeAccessMode mode() {
            return capability.accessMode();
        }
    }

    private final Set<String> created = new TreeSet<>();
    private final Map<String, Map<String, Use>> attached = new TreeMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
    /** The size of each file system, which changes when the node expands the volume. */
    private final Map<VolumeOnNode, Long> nodeSizes = new HashMap<>();

    private final Map<String, Map<String, String>> parameters = new HashMap<>();
    private final SimLocks locks = new SimLocks();
    private long changes;

    public void add(ExternalVolumeId volume) {
        attached.put(volume.value(), new TreeMap<>());
    }

    public boolean knows(ExternalVolumeId volume) {
        return attached.containsKey(volume.value());
    }

    /** Counts changes of volumes and attachments. */
    public long changes() {
        return changes;
    }

    public Set<String> nodes(String volume) {
        Map<String, Use> nodes = attached.get(volume);
        return nodes == null ? Set.of() : nodes.keySet();
    }

    public Map<String, Map<String, Use>> attachments() {
        return attached;
    }

    public boolean isAttached(ExternalVolumeId volume, ExternalNodeId node) {
        return nodes(volume.value()).contains(node.value());
    }

    /** The number of volumes attached to the node. */
    public long countOn(ExternalNodeId node) {
        return attached.values().stream()
                .filter(nodes -> nodes.containsKey(node.value()))
                .count();
    }

    /**
     * The capability and the read-only flag with which the volume is attached to the node; empty: it is not attached.
     */
    public Optional<Use> use(ExternalVolumeId volume, ExternalNodeId node) {
        Map<String, Use> nodes = attached.get(volume.value());
        return nodes == null ? Optional.empty() : Optional.ofNullable(nodes.get(node.value()));
    }

    /**
     * Attaches a volume to a node. Fails if the volume is attached to another node and cannot be shared, or is attached
     * to this node with a different {@code use}.
     */
    public void attach(ExternalVolumeId volume, ExternalNodeId node, Use use) {
        Map<String, Use> nodes = attached.get(volume.value());
        if (nodes == null) {
            throw new Refusal(StatusCode.NOT_FOUND);
        }
        Use current = nodes.get(node.value());
        if (current != null && !current.equals(use)) {
            throw new Refusal(StatusCode.ALREADY_EXISTS);
        }
        boolean attachedElsewhere = nodes.size() > (current == null ? 0 : 1);
        boolean shareable = use.mode().multiNode()
                && nodes.values().stream().allMatch(other -> other.mode().multiNode());
        if (attachedElsewhere && !shareable) {
            throw new Refusal(StatusCode.FAILED_PRECONDITION);
        }
        changes++;
        nodes.put(node.value(), use);
    }

    public void detach(ExternalVolumeId volume, ExternalNodeId node) {
        Map<String, Use> nodes = attached.get(volume.value());
        if (nodes != null) {
            changes++;
            nodes.remove(node.value());
        }
    }

    /** Returns the volume of that name, and creates it if there is none (R51). */
    public ExternalVolumeId create(String name) {
        ExternalVolumeId id = idOf(name);
        if (created.add(id.value())) {
            changes++;
            add(id);
        }
        return id;
    }

    /** Returns whether the provider has made a volume of that name, and has not deleted it. */
    public boolean has(String name) {
        return created.contains(CREATED_PREFIX + name);
    }

    /** Returns the name of a volume that the provider has made. */
    static String nameOf(String created) {
        return created.substring(CREATED_PREFIX.length());
    }

    public static ExternalVolumeId idOf(String name) {
        return ExternalVolumeId.of(CREATED_PREFIX + name);
    }

    public void delete(ExternalVolumeId volume) {
        if (created.remove(volume.value())) {
            changes++;
            attached.remove(volume.value());
            sizes.remove(volume.value());
            parameters.remove(volume.value());
        }
    }

    /** Forgets a volume that was declared; {@link #add} brings it back. */
    void lose(ExternalVolumeId volume) {
        changes++;
        attached.remove(volume.value());
    }

    public Set<String> created() {
        return created;
    }

    /** Expands the volume to at least that size; it never shrinks (R82). */
    public long expand(ExternalVolumeId volume, long bytes) {
        return sizes.merge(volume.value(), bytes, Math::max);
    }

    /** Sets parameters of a volume (R74). */
    public void modify(ExternalVolumeId volume, Map<String, String> changes) {
        parameters.computeIfAbsent(volume.value(), id -> new TreeMap<>()).putAll(changes);
    }

    public Map<String, String> parameters(ExternalVolumeId volume) {
        return parameters.getOrDefault(volume.value(), Map.of());
    }

    /** Expands the file system that a node uses to at least that size. */
    public long expandOnNode(VolumeKey volume, NodeId nodeId, long bytes) {
        return nodeSizes.merge(new VolumeOnNode(volume, nodeId), bytes, Math::max);
    }

    public long sizeOnNode(VolumeKey volume, NodeId nodeId) {
        return nodeSizes.getOrDefault(new VolumeOnNode(volume, nodeId), 0L);
    }

    public long size(ExternalVolumeId volume) {
        return sizes.getOrDefault(volume.value(), 0L);
    }

    /** The locks with which the provider works on only one call for a volume at a time. */
    public SimLocks locks() {
        return locks;
    }
}
