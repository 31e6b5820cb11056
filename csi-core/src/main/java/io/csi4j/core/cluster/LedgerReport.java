package io.csi4j.core.cluster;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The complete content of a node's ledger at one time: the volumes that are mounted there, and their users.
 *
 * @param uses the uses of volumes by allocations
 * @param unclear the volumes that may be mounted or staged on the node although the ledger names no allocation for them
 * @param machines the machine that the report is about: the external ids by which the node's plugins know it. A plugin
 *     without an entry has not told the machine its id. Empty optional: the node cannot say, for example because its
 *     agent is older; the report then counts as one of the machine whose plugins were reported last
 */
public record LedgerReport(
        List<VolumeUse> uses, List<VolumeKey> unclear, Optional<Map<PluginId, ExternalNodeId>> machines) {
    private static final LedgerReport EMPTY = new LedgerReport(List.of(), List.of());

    /** Copies the lists and the map. */
    public LedgerReport {
        uses = List.copyOf(uses);
        unclear = List.copyOf(unclear);
        machines = machines.map(ids -> Collections.unmodifiableMap(new TreeMap<>(ids)));
    }

    /** Creates a report that does not say which machine it is about. */
    public LedgerReport(List<VolumeUse> uses, List<VolumeKey> unclear) {
        this(uses, unclear, Optional.empty());
    }

    /** Returns the report of a node on which nothing is mounted; it does not say which machine it is about. */
    public static LedgerReport empty() {
        return EMPTY;
    }

    /** Returns this report about a machine with the given external ids. */
    public LedgerReport of(Map<PluginId, ExternalNodeId> ids) {
        return new LedgerReport(uses, unclear, Optional.of(ids));
    }

    /** Returns whether nothing is mounted. */
    public boolean isEmpty() {
        return uses.isEmpty() && unclear.isEmpty();
    }

    /** Returns whether the report names a volume. */
    public boolean names(Volume volume) {
        return unclear.contains(volume.key()) || uses.stream().anyMatch(use -> use.isOf(volume));
    }

    /** Returns the external id of the machine for one plugin; empty if the report does not say it. */
    public Optional<ExternalNodeId> machine(PluginId pluginId) {
        return machines.map(ids -> ids.get(pluginId));
    }
}
