package io.csi4j.node.internal.mount;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.PathName;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The paths of all files and directories of a node:
 *
 * <pre>
 * base/staging/namespace/volume/use        created here (R85)
 * base/publish/namespace/volume/target     the parent is created here, the leaf by the plugin (R88)
 * base/ledger/namespace/volume.rec
 * </pre>
 *
 * The target is the allocation, and, for its further mounts of the volume, their number. The use is the access type and the access mode, without mount options: their flags may contain credentials, and a volume has one staging path on a node anyway (R85).
 */
public final class NodePaths {
    private static final int VOLUME_DEPTH = 2;
    /** Precedes the number of a further mount. No name of an allocation ends so: a hash after this sign is longer. */
    private static final String NUMBERED = "~";

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

    private final Path base;
    private final Path staging;
    private final Path publish;

    /**
     * Creates the paths below a base directory. The base must have no symbolic links, because the mount table has none.
     */
    public NodePaths(Path base) {
        this.base = base;
        this.staging = base.resolve("staging");
        this.publish = base.resolve("publish");
    }

    public Path base() {
        return base;
    }

    public Path ledger() {
        return base.resolve("ledger");
    }

    /** Returns the directory of all stagings. */
    public Path stagingRoot() {
        return staging;
    }

    public Path publishRoot() {
        return publish;
    }

    public Path stagings(VolumeKey volume) {
        return of(staging, volume);
    }

    public Path targets(VolumeKey volume) {
        return of(publish, volume);
    }

    public Path staging(VolumeKey volume, MountTerms terms) {
        String type = terms.capability().attachmentMode() == AttachmentMode.BLOCK ? "block-" : "mount-";
        return stagings(volume).resolve(type + terms.capability().accessMode().number());
    }

    public Path target(VolumeKey volume, UseId use) {
        String name = PathName.of(use.allocationId().value());
        return targets(volume).resolve(use.number() == 0 ? name : name + NUMBERED + use.number());
    }

    /** Returns the use of an allocation to which a target belongs; empty if it belongs to another allocation. */
    public Optional<UseId> use(VolumeKey volume, AllocationId allocation, Path target) {
        UseId first = UseId.first(allocation);
        String name = target(volume, first).toString();
        String given = target.toString();
        if (given.equals(name)) {
            return Optional.of(first);
        }
        String number = given.startsWith(name + NUMBERED) ? given.substring(name.length() + NUMBERED.length()) : "";
        return NUMBER.matcher(number).matches()
                ? Optional.of(new UseId(allocation, Integer.parseInt(number)))
                : Optional.empty();
    }

    /** Returns the staging path or target path that an action concerns. */
    public Path of(VolumeEntry entry, MountAction action) {
        UseId use = action.use();
        if (use != null) {
            return target(entry.key(), use);
        }
        if (action instanceof MountAction.Stage stage) {
            return staging(entry.key(), stage.terms());
        }
        if (action instanceof MountAction.UnpublishOrphan orphan) {
            return orphan.target();
        }
        if (action instanceof MountAction.UnstageOrphan orphan) {
            return orphan.staging();
        }
        StagingEntry staging = entry.staging();
        if (staging == null) {
            throw new IllegalStateException(action + " has no path");
        }
        return staging(entry.key(), staging.terms());
    }

    /** Returns the path at which a plugin sees a path of the host. */
    public String pathFor(NodePlugin plugin, Path path) {
        return plugin.baseDirectory()
                .map(root -> root.resolve(base.relativize(path).toString()))
                .orElse(path)
                .toString();
    }

    /** Returns the volume whose staging or target path is, or contains, the given path; empty if there is none. */
    public Optional<VolumeKey> volume(Path path) {
        for (Path root : new Path[] {staging, publish}) {
            if (path.startsWith(root) && path.getNameCount() > root.getNameCount() + VOLUME_DEPTH) {
                int at = root.getNameCount();
                Optional<String> namespace = PathName.decode(path.getName(at).toString());
                Optional<String> id = PathName.decode(path.getName(at + 1).toString());
                return namespace.flatMap(ns -> id.map(volume -> new VolumeKey(Namespace.of(ns), VolumeId.of(volume))));
            }
        }
        return Optional.empty();
    }

    /** Returns the ancestor of a path that is directly inside {@code directory}. */
    public static Path childOf(Path directory, Path below) {
        return directory.resolve(below.getName(directory.getNameCount()));
    }

    private static Path of(Path root, VolumeKey volume) {
        return root.resolve(PathName.of(volume.namespace().value()))
                .resolve(PathName.of(volume.volumeId().value()));
    }
}
