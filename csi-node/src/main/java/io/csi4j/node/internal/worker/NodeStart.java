package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import io.csi4j.node.internal.mount.MountInspector;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Loads the records at the start, and adds an empty record for each volume that is mounted but has no record. */
public final class NodeStart {
    private final NodePorts ports;
    private final MountInspector inspector;
    private final Map<VolumeKey, VolumeEntry> entries = new LinkedHashMap<>();
    private VolumeLedger.Contents contents = new VolumeLedger.Contents(List.of(), List.of());
    private boolean checked;

    /** Creates an object that loads the records once. */
    public NodeStart(NodePorts ports, MountInspector inspector) {
        this.ports = ports;
        this.inspector = inspector;
    }

    /** Reads the ledger, and returns the allocations that use a volume. */
    public Set<AllocationId> load() throws IOException {
        contents = ports.ledger().load();
        return contents.entries().stream()
                .flatMap(entry -> entry.uses().stream())
                .map(UseEntry::allocationId)
                .collect(Collectors.toSet());
    }

    /** Returns the records to start with, after {@link #load}. The uses of the given allocations end. */
    public Collection<VolumeEntry> records(Set<AllocationId> ended) {
        for (VolumeEntry recorded : contents.entries()) {
            VolumeEntry entry = withoutEnded(recorded, ended);
            entries.put(
                    entry.key(),
                    mayHaveCallInFlight(entry) ? entry.uncertainAt(ports.clock().millis()) : entry);
        }
        for (VolumeLedger.SetAside aside : contents.setAside()) {
            ports.reporter().report(Kind.RECORD_SET_ASIDE, aside.volume().orElse(null), null, aside.message());
            aside.volume().ifPresent(key -> entries.putIfAbsent(key, VolumeEntry.empty(key, true)));
        }
        unrecorded();
        return entries.values();
    }

    /** Ends the uses of allocations that no longer run. */
    private static VolumeEntry withoutEnded(VolumeEntry recorded, Set<AllocationId> ended) {
        VolumeEntry entry = recorded;
        for (UseEntry use : recorded.uses()) {
            if (ended.contains(use.allocationId())) {
                entry = entry.leave(use.allocationId());
            }
        }
        return entry;
    }

    /**
     * Returns whether a call of an earlier process may still be running (R27, R30). NodePublishVolume may still be
     * running even if the use of the volume has ended since.
     */
    private static boolean mayHaveCallInFlight(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        return (staging != null && staging.phase() == StagingPhase.STAGING)
                || entry.uses().stream()
                        .anyMatch(use -> use.phase() == UsePhase.PUBLISHING
                                || use.phase().goes());
    }

    /** Returns whether the start could read the mount table. If not, the mounts without a record are not known yet. */
    public boolean hasChecked() {
        return checked;
    }

    private void unrecorded() {
        Optional<MountPoints> table = inspector.table();
        checked = table.isPresent();
        table.map(points -> new UnrecordedMounts(ports).volumes(points, entries.keySet()))
                .ifPresent(
                        found -> found.forEach(volume -> entries.putIfAbsent(volume, VolumeEntry.empty(volume, true))));
    }
}
