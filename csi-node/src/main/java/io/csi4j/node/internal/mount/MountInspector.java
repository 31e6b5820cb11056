package io.csi4j.node.internal.mount;

import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StrictPaths;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import io.csi4j.node.internal.mount.MountFacts.Presence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Collects the facts about one volume. Reads the mount table and the directories above the mounts, but never accesses a mount. */
public final class MountInspector {
    private final NodePaths paths;
    private final NodePlugins plugins;
    private final String bootId;
    private final MountTableView tables;
    private final MountFacts unlooked;
    /** The staging paths whose mounts failed at the last check. */
    private final Set<Path> broken = ConcurrentHashMap.newKeySet();
    /** The warnings with which volumes are mounted, by target. */
    private final Map<Path, String> notes = new ConcurrentHashMap<>();

    public MountInspector(NodePaths paths, NodePlugins plugins, MountTable table, Timer timer, HostCallbacks host) {
        this.paths = paths;
        this.plugins = plugins;
        this.tables = new MountTableView(table, timer, host);
        this.bootId = table.bootId().orElse("");
        this.unlooked =
                new MountFacts(PluginFact.ABSENT, bootId, Presence.UNKNOWN, Map.of(), List.of(), List.of(), Set.of());
    }

    public String bootId() {
        return bootId;
    }

    /** Returns whether a recorded boot is not the present one. */
    public boolean otherBoot(String recorded) {
        return unlooked.otherBoot(recorded);
    }

    /** Reads the mount table; empty if it cannot be read. */
    public Optional<MountPoints> table() {
        return tables.read();
    }

    /** Returns a recent mount table that was read after {@link #moment} returned the given value. */
    public Optional<MountPoints> table(long moment) {
        return tables.readAfter(moment);
    }

    /** Returns a mark for the present time; {@link #table(long)} uses it to ignore tables that were read earlier. */
    public long moment() {
        return tables.moment();
    }

    /**
     * Returns the facts about a volume. A directory that could not be removed after its unmount does not count as a
     * mount.
     */
    public MountFacts facts(
            VolumeEntry entry, Set<MountAction> deferred, Set<Path> dealtWith, Optional<MountPoints> table) {
        Map<UseId, Presence> targets = new HashMap<>();
        for (UseEntry use : entry.uses()) {
            targets.put(use.id(), presence(table, paths.target(entry.key(), use.id())));
        }
        StagingEntry staging = entry.staging();
        Presence staged =
                staging == null ? Presence.ABSENT : presence(table, paths.staging(entry.key(), staging.terms()));
        Optional<NodePlugin> plugin = findPlugin(entry);
        return new MountFacts(
                        plugin(plugin),
                        bootId,
                        staged,
                        targets,
                        open(orphanedTargets(entry, table), table, dealtWith),
                        open(orphanedStagings(entry, table), table, dealtWith),
                        Set.copyOf(deferred))
                .withStagingBroken(staging != null && broken.contains(paths.staging(entry.key(), staging.terms())))
                .onMachine(plugin.flatMap(NodePlugin::externalNodeId));
    }

    /** Remembers that the mount at a staging path fails, until {@link #stagingSound} or {@link #replaced} is called. */
    public void stagingBroken(Path staging) {
        broken.add(staging);
    }

    /** Remembers a warning about the mount at a path, until {@link #replaced} is called. */
    public void noted(Path path, String warning) {
        notes.put(path, warning);
    }

    /** Returns the warning about the mount at a path; empty if there is none. */
    public String note(Path path) {
        return notes.getOrDefault(path, "");
    }

    /**
     * Notes that the mount at a path answers.
     *
     * @return whether the path was a broken staging, for which uses may wait
     */
    public boolean stagingSound(Path path) {
        return broken.remove(path);
    }

    /**
     * Notes that the mount at a path was made or removed, or is gone. An earlier failure there says nothing about the next
     * mount.
     */
    public void replaced(Path path) {
        broken.remove(path);
        notes.remove(path);
    }

    /** Returns the only fact that is known without reading the mount table: the id of the present boot. */
    public MountFacts unlooked() {
        return unlooked;
    }

    private static List<Path> open(List<Path> orphans, Optional<MountPoints> table, Set<Path> dealtWith) {
        return orphans.stream()
                .filter(path -> !dealtWith.contains(path) || presence(table, path) != Presence.ABSENT)
                .toList();
    }

    private Optional<NodePlugin> findPlugin(VolumeEntry entry) {
        NodeVolumeId id = entry.id();
        return id == null ? Optional.empty() : plugins.find(id.pluginId());
    }

    private static PluginFact plugin(Optional<NodePlugin> plugin) {
        if (plugin.isEmpty()) {
            return PluginFact.ABSENT;
        }
        return plugin.get().capabilities().has(NodeCapability.STAGE_UNSTAGE_VOLUME)
                ? PluginFact.STAGES
                : PluginFact.DIRECT;
    }

    public static Presence presence(Optional<MountPoints> table, Path path) {
        if (table.isEmpty()) {
            return Presence.UNKNOWN;
        }
        return table.get().within(path).isEmpty() ? Presence.ABSENT : Presence.MOUNTED;
    }

    /**
     * Returns the target paths of the volume that are mount points but belong to no use in the record. If the earlier
     * record was lost, also returns the files at such paths, because a file may be a published block device.
     */
    private List<Path> orphanedTargets(VolumeEntry entry, Optional<MountPoints> table) {
        Path directory = paths.targets(entry.key());
        Set<Path> found = mounted(directory, table);
        if (entry.rebuilt()) {
            // Adds files, because a file may be a published block device. Does not add a directory that is not a mount
            // point, because no volume is published there.
            leaves(directory).stream()
                    .filter(leaf -> !found.contains(leaf) && !isDirectory(leaf))
                    .forEach(found::add);
        }
        Set<Path> known = new HashSet<>();
        entry.uses().forEach(use -> known.add(paths.target(entry.key(), use.id())));
        found.removeAll(known);
        return List.copyOf(found);
    }

    private List<Path> orphanedStagings(VolumeEntry entry, Optional<MountPoints> table) {
        Path directory = paths.stagings(entry.key());
        Set<Path> found = mounted(directory, table);
        if (entry.rebuilt()) {
            // Adds the staging directories that are no mount points, because a block device may be staged without a
            // mount. Unstaging a path without a staging is harmless (R87).
            found.addAll(leaves(directory));
        }
        StagingEntry staging = entry.staging();
        if (staging != null) {
            found.remove(paths.staging(entry.key(), staging.terms()));
        } else if (entry.rebuilt()) {
            // Excludes the staging path that a requested use needs. NodeStageVolume is repeated for this path with the
            // same parameters, which is harmless (R85).
            entry.living().stream().findFirst().ifPresent(use -> found.remove(paths.staging(entry.key(), use.terms())));
        }
        return List.copyOf(found);
    }

    /** Returns the entries of a directory at or below which something is mounted. */
    static Set<Path> mounted(Path directory, Optional<MountPoints> table) {
        Set<Path> found = new TreeSet<>();
        table.ifPresent(points -> points.within(directory).stream()
                .filter(point -> !point.equals(directory))
                .forEach(point -> found.add(NodePaths.childOf(directory, point))));
        return found;
    }

    /** Lists the entries of a directory of csi4j without opening them, because an entry may be a mount that hangs. */
    public static List<Path> leaves(Path directory) {
        try {
            return StrictPaths.list(directory);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw unreadable(directory, e);
        }
    }

    private static boolean isDirectory(Path path) {
        try {
            return StrictPaths.attributes(path)
                    .filter(BasicFileAttributes::isDirectory)
                    .isPresent();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static UncheckedIOException unreadable(Path path, IOException e) {
        return new UncheckedIOException(
                "cannot read " + path + ": " + NodeFailures.text(e) + "; check the base directory", e);
    }

    /** Returns whether a volume without a record has, or may have, a mount on this node; true if the mount table cannot be read. */
    public boolean somethingIsThere(VolumeEntry entry, long moment) {
        VolumeEntry suspect = VolumeEntry.empty(entry.key(), true);
        Optional<MountPoints> table = table(moment);
        return table.isEmpty()
                || !orphanedTargets(suspect, table).isEmpty()
                || !orphanedStagings(suspect, table).isEmpty();
    }
}
