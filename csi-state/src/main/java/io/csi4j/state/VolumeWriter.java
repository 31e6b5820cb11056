package io.csi4j.state;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.state.internal.tree.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Changes volumes. A claim changes only the row of the volume and the index entries of the claim's node and allocation.
 *
 * <p>The commands of one batch often change the same volume several times. For this reason the row written last is kept beside the trees,
 * and is added to them only when another row is needed ({@link #flush}).
 */
final class VolumeWriter {
    private final TableWriter writer;
    private final Tables tables;
    private final Sharer sharer;
    private final Path<VolumeKey, Volume> path = new Path<>();
    /** The row written last, which {@link #flush} puts into the trees; null: no row waits for this. */
    private @Nullable Volume kept;
    /** The row in the trees that {@link #flush} replaces by the row written last. */
    private @Nullable Volume replaced;

    VolumeWriter(TableWriter writer, Sharer sharer) {
        this.writer = writer;
        this.tables = writer.tables;
        this.sharer = sharer;
    }

    @Nullable Volume find(VolumeKey key) {
        if (kept != null && kept.key().equals(key)) {
            return kept;
        }
        flush();
        Volume known = path.row(tables.volumes, key);
        return known != null ? known : tables.volumes.get(key, path);
    }

    void put(Volume volume) {
        Volume before = find(volume.key());
        Volume row = sharer.share(volume, before);
        if (before == null) {
            tables.volumes = tables.volumes.put(writer.edit(), row);
            index(null, row);
            return;
        }
        if (kept == null) {
            replaced = before;
        }
        kept = row;
    }

    /** Puts the row that was written last into the trees, if it is not there yet. */
    void flush() {
        Volume row = kept;
        if (row != null) {
            kept = null;
            tables.volumes = tables.volumes.put(writer.edit(), path, row);
            index(replaced, row);
        }
    }

    /**
     * Returns a loader that accepts the rows of a restored state in the order of their keys; the caller has to end it with {@link
     * VolumeLoader#finish}.
     */
    VolumeLoader load() {
        return new VolumeLoader(this, tables, writer.edit());
    }

    void remove(VolumeKey key) {
        flush();
        Volume before = tables.volumes.get(key);
        if (before != null) {
            tables.volumes = tables.volumes.remove(writer.edit(), key);
            index(before, null);
        }
    }

    private void index(@Nullable Volume before, @Nullable Volume after) {
        if (before != null && after != null && !before.pluginId().equals(after.pluginId())) {
            index(before, null);
            index(null, after);
            return;
        }
        Volume any = after != null ? after : before;
        if (any == null) {
            return;
        }
        VolumeKey key = any.key();
        indexPlugin(before, after, key, any.pluginId());
        indexExternalId(before, after, key);
        indexCreation(before, after, key);
        indexUnsettled(before, after, key);
        indexCounted(before, after);
        indexUse(before, after, key, any.pluginId());
        writer.touched.add(Table.VOLUMES, key);
        writer.touched.add(Table.VOLUMES_BY_PLUGIN, any.pluginId());
    }

    private void indexPlugin(@Nullable Volume before, @Nullable Volume after, VolumeKey key, PluginId pluginId) {
        if (before == null) {
            tables.volumesOfPlugin =
                    Group.add(tables.volumesOfPlugin, writer.edit(), pluginId, key, Keys.NO_VOLUME_KEYS);
        } else if (after == null) {
            tables.volumesOfPlugin = Group.remove(tables.volumesOfPlugin, writer.edit(), pluginId, key);
        }
    }

    @SuppressWarnings("ReferenceEquality")
    void indexExternalId(@Nullable Volume before, @Nullable Volume after, VolumeKey key) {
        if (before != null && after != null && before.spec() == after.spec() && before.facts() == after.facts()) {
            return;
        }
        ExternalEntry old = external(before);
        ExternalEntry now = external(after);
        if (old != null && !old.equals(now)) {
            tables.volumesByExternalId = tables.volumesByExternalId.remove(writer.edit(), old);
        }
        if (now != null && !now.equals(old)) {
            ExternalEntry other = tables.volumesByExternalId.get(now);
            if (other != null && !key.equals(other.volume())) {
                throw new IllegalStateException("StateStore: volume " + key + " has the external id of volume "
                        + other.volume() + ", " + now.externalVolumeId() + " of plugin " + now.pluginId()
                        + "; this is a defect of csi4j, please report it");
            }
            tables.volumesByExternalId = tables.volumesByExternalId.put(writer.edit(), now);
        }
    }

    /** Updates the indexes of creations: by name, and by the source that an unfinished creation still needs. */
    @SuppressWarnings("ReferenceEquality")
    void indexCreation(@Nullable Volume before, @Nullable Volume after, VolumeKey key) {
        if (before != null
                && after != null
                && before.spec() == after.spec()
                && before.facts() == after.facts()
                && before.phase() == after.phase()) {
            return;
        }
        VolumesBy.Name oldName = name(before);
        VolumesBy.Name newName = name(after);
        if (!Objects.equals(oldName, newName)) {
            if (oldName != null) {
                tables.volumesByName = VolumesBy.remove(tables.volumesByName, writer.edit(), oldName, key);
            }
            if (newName != null) {
                tables.volumesByName = VolumesBy.add(tables.volumesByName, writer.edit(), newName, key);
            }
        }
        VolumesBy.Source oldSource = source(before);
        VolumesBy.Source newSource = source(after);
        if (!Objects.equals(oldSource, newSource)) {
            if (oldSource != null) {
                tables.creationsBySource = VolumesBy.remove(tables.creationsBySource, writer.edit(), oldSource, key);
            }
            if (newSource != null) {
                tables.creationsBySource = VolumesBy.add(tables.creationsBySource, writer.edit(), newSource, key);
            }
        }
    }

    private static VolumesBy.@Nullable Name name(@Nullable Volume volume) {
        return volume == null || volume.origin() != VolumeOrigin.CREATED
                ? null
                : new VolumesBy.Name(volume.pluginId(), volume.name());
    }

    private static VolumesBy.@Nullable Source source(@Nullable Volume volume) {
        return volume == null
                ? null
                : volume.creationSource()
                        .map(source -> new VolumesBy.Source(volume.pluginId(), source))
                        .orElse(null);
    }

    private static @Nullable ExternalEntry external(@Nullable Volume volume) {
        if (volume == null) {
            return null;
        }
        Optional<ExternalVolumeId> id = volume.externalVolumeId();
        return id.isEmpty()
                ? null
                : new ExternalEntry(volume.pluginId(), id.get().value(), volume.key());
    }

    private void indexUnsettled(@Nullable Volume before, @Nullable Volume after, VolumeKey key) {
        boolean old = before != null && before.unsettled();
        boolean now = after != null && after.unsettled();
        if (now && !old) {
            tables.unsettled = tables.unsettled.put(writer.edit(), key);
        } else if (old && !now) {
            tables.unsettled = tables.unsettled.remove(writer.edit(), key);
        }
        if (old || now) {
            writer.touched.add(Table.UNSETTLED_VOLUMES, key);
        }
    }

    /** Updates what quotas count. A change of claims, the most frequent one, is recognised without counting. */
    @SuppressWarnings("ReferenceEquality")
    private void indexCounted(@Nullable Volume before, @Nullable Volume after) {
        if (before != null && after != null) {
            boolean same = before.spec() == after.spec()
                    && before.facts() == after.facts()
                    && before.phase() == after.phase()
                    && before.expansion().equals(after.expansion())
                    && before.unsettledTargets() == after.unsettledTargets();
            if (same || (before.phase() == after.phase() && before.countedBytes() == after.countedBytes())) {
                return;
            }
        }
        if (before != null) {
            tables.quotaUses = CountedUse.remove(tables.quotaUses, writer.edit(), before);
        }
        if (after != null) {
            tables.quotaUses = CountedUse.add(tables.quotaUses, writer.edit(), after);
        }
    }

    /**
     * Updates the indexes of claims, of attachments, and of those for whom a volume is made. An object that is the same as
     * before is skipped.
     */
    @SuppressWarnings("ReferenceEquality")
    void indexUse(@Nullable Volume before, @Nullable Volume after, VolumeKey key, PluginId pluginId) {
        Claims oldClaims = before == null ? Claims.empty() : before.claims();
        Claims newClaims = after == null ? Claims.empty() : after.claims();
        if (oldClaims != newClaims) {
            newClaims.changesSince(oldClaims, (was, is) -> {
                if (was != null) {
                    used(was.nodeId(), before, after, key, pluginId);
                }
                if (is != null && (was == null || !was.nodeId().equals(is.nodeId()))) {
                    used(is.nodeId(), before, after, key, pluginId);
                }
                Claim any = is != null ? is : was;
                if (any != null) {
                    concerned(any.allocationId(), before, after, key);
                }
            });
        }
        FirstClaim oldFirst = before == null ? null : before.firstClaim().orElse(null);
        FirstClaim newFirst = after == null ? null : after.firstClaim().orElse(null);
        if (oldFirst != newFirst) {
            if (oldFirst != null) {
                used(oldFirst.nodeId(), before, after, key, pluginId);
                concerned(oldFirst.allocationId(), before, after, key);
            }
            if (newFirst != null) {
                used(newFirst.nodeId(), before, after, key, pluginId);
                concerned(newFirst.allocationId(), before, after, key);
            }
        }
        VolumeOwner oldOwner = before == null ? null : before.owner().orElse(null);
        VolumeOwner newOwner = after == null ? null : after.owner().orElse(null);
        if (oldOwner != newOwner) {
            indexOwner(oldOwner, newOwner, before, after, key);
        }
        Attachments oldAttachments = before == null ? Attachments.empty() : before.attachments();
        Attachments newAttachments = after == null ? Attachments.empty() : after.attachments();
        if (oldAttachments != newAttachments) {
            newAttachments.changesSince(oldAttachments, (was, is) -> {
                Attachment any = is != null ? is : was;
                // Skips the node's entry if a claim on the same node changed as well, because the entry was updated for
                // the claim.
                if (any != null
                        && oldClaims.on(any.nodeId()).isEmpty()
                                == newClaims.on(any.nodeId()).isEmpty()) {
                    used(any.nodeId(), before, after, key, pluginId);
                }
            });
        }
    }

    private void indexOwner(
            @Nullable VolumeOwner oldOwner,
            @Nullable VolumeOwner newOwner,
            @Nullable Volume before,
            @Nullable Volume after,
            VolumeKey key) {
        if (oldOwner instanceof VolumeOwner.OfAllocation was) {
            concerned(was.allocationId(), before, after, key);
        }
        if (newOwner instanceof VolumeOwner.OfAllocation is) {
            concerned(is.allocationId(), before, after, key);
        }
        VolumesBy.Owner was = owner(oldOwner, key);
        VolumesBy.Owner is = owner(newOwner, key);
        if (was != null && !was.equals(is)) {
            tables.volumesByOwner = VolumesBy.remove(tables.volumesByOwner, writer.edit(), was, key);
        }
        if (is != null && !is.equals(was)) {
            tables.volumesByOwner = VolumesBy.add(tables.volumesByOwner, writer.edit(), is, key);
        }
    }

    private static VolumesBy.@Nullable Owner owner(@Nullable VolumeOwner owner, VolumeKey key) {
        return owner instanceof VolumeOwner.OfWorkload of
                ? new VolumesBy.Owner(key.namespace(), of.workload().name())
                : null;
    }

    /** Updates the volumes of an allocation: those that it claims, those that are made for it, and its own. */
    private void concerned(AllocationId allocationId, @Nullable Volume before, @Nullable Volume after, VolumeKey key) {
        boolean old = before != null && before.concerns(allocationId);
        boolean now = after != null && after.concerns(allocationId);
        if (now != old) {
            tables.claims = now
                    ? ClaimsByAllocation.add(tables.claims, writer.edit(), allocationId, key)
                    : ClaimsByAllocation.remove(tables.claims, writer.edit(), allocationId, key);
        }
        writer.touched.add(Table.VOLUMES_BY_ALLOCATION, allocationId);
    }

    private void used(
            NodeId nodeId, @Nullable Volume before, @Nullable Volume after, VolumeKey key, PluginId pluginId) {
        boolean old = before != null && before.isOn(nodeId);
        boolean now = after != null && after.isOn(nodeId);
        if (now != old) {
            tables.uses = now
                    ? NodeUses.add(tables.uses, writer.edit(), nodeId, pluginId, key)
                    : NodeUses.remove(tables.uses, writer.edit(), nodeId, pluginId, key);
        }
        writer.touched.add(Table.VOLUMES_BY_NODE, nodeId);
    }
}
