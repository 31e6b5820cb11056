package io.csi4j.testkit.internal.disk;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.node.Leaf;
import io.csi4j.testkit.internal.node.NodeEffects;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import io.csi4j.testkit.internal.store.Checkpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Bind mounts of the volumes of a {@link DirectoryData}. A volume with a file system is bind-mounted to its staging path and its
 * target paths. The image of a block volume is attached to a loop device, whose node is bind-mounted to the target. A readonly target
 * has its own loop device, because a readonly bind mount of a device node does not prevent writes.
 */
public final class RealMounts implements NodeEffects {
    private static final long SECONDS = 30;
    private static final Set<String> FLAGS = Set.of(
            "ro",
            "rw",
            "nosuid",
            "suid",
            "nodev",
            "dev",
            "noexec",
            "exec",
            "noatime",
            "atime",
            "nodiratime",
            "diratime",
            "relatime",
            "norelatime");

    private final DirectoryData data;

    public RealMounts(DirectoryData data) {
        this.data = data;
    }

    @Override
    public void requireFlags(Iterable<String> flags) {
        int number = 0;
        for (String flag : flags) {
            if (!FLAGS.contains(flag)) {
                throw CallRefusal.invalid("volume_capability.mount.mount_flags[" + number
                        + "]: is not supported by a bind mount; supported are "
                        + String.join(", ", FLAGS.stream().sorted().toList()));
            }
            number++;
        }
    }

    @Override
    public void stage(NodeStageVolumeRequest request) {
        Privilege.requireMounting();
        String volumeId = request.getVolumeId();
        Path path = Path.of(request.getStagingTargetPath());
        removeDead(followed(path));
        if (!Files.isDirectory(path)) {
            throw CallRefusal.invalid(
                    "staging_target_path: '" + path + "' is no directory; the caller has to make it (R85)");
        }
        if (request.getVolumeCapability().hasBlock()) {
            writableLoop(volumeId);
        } else {
            bind(data.content(volumeId), path);
            remount(path, request.getVolumeCapability().getMount().getMountFlagsList(), false);
        }
        Checkpoint.reached();
    }

    private Loop writableLoop(String volumeId) {
        Path image = data.image(volumeId);
        for (Loop loop : Loop.of(image)) {
            if (!loop.readonly()) {
                return loop;
            }
        }
        Loop attached = Loop.attach(image, false);
        Checkpoint.reached();
        return attached;
    }

    @Override
    public boolean staged(NodeStageVolumeRequest request) {
        String volumeId = request.getVolumeId();
        return request.getVolumeCapability().hasBlock()
                ? Loop.of(data.image(volumeId)).stream().anyMatch(loop -> !loop.readonly())
                : mounted(Path.of(request.getStagingTargetPath()));
    }

    @Override
    public void unstage(NodeStageVolumeRequest request) {
        if (request.getVolumeCapability().hasBlock()) {
            Loop.of(data.image(request.getVolumeId())).forEach(Loop::detach);
        } else {
            unmount(Path.of(request.getStagingTargetPath()), request.getVolumeId());
        }
        Checkpoint.reached();
    }

    @Override
    public void publish(NodePublishVolumeRequest request, boolean readonly) {
        Privilege.requireMounting();
        String volumeId = request.getVolumeId();
        Path target = Path.of(request.getTargetPath());
        boolean block = request.getVolumeCapability().hasBlock();
        if (mounted(target)) {
            throw CallRefusal.internal(
                    "something is mounted at '" + target + "' already; unmount it and publish again");
        }
        Leaf.make(request.getTargetPath(), block);
        Checkpoint.reached();
        if (block) {
            Loop loop = readonly ? Loop.attach(data.image(volumeId), true) : writableLoop(volumeId);
            Checkpoint.reached();
            bind(loop.device(), target);
        } else {
            bind(data.content(volumeId), target);
            remount(target, request.getVolumeCapability().getMount().getMountFlagsList(), readonly);
        }
        Checkpoint.reached();
    }

    @Override
    public boolean published(NodePublishVolumeRequest request) {
        return mounted(Path.of(request.getTargetPath()));
    }

    @Override
    public void unpublish(NodePublishVolumeRequest request, boolean last) {
        Path target = Path.of(request.getTargetPath());
        String volumeId = request.getVolumeId();
        boolean block = request.getVolumeCapability().hasBlock();
        List<Loop> own = new ArrayList<>();
        if (block) {
            for (Loop loop : Loop.of(data.image(volumeId))) {
                // A readonly device belongs to one target; the writable device is removed with the last use, or when
                // the volume is unstaged.
                if (last || (loop.readonly() && loop.is(target))) {
                    own.add(loop);
                }
            }
        }
        unmount(target, volumeId);
        Checkpoint.reached();
        own.forEach(Loop::detach);
        Checkpoint.reached();
        Leaf.remove(request.getTargetPath());
        Checkpoint.reached();
    }

    @Override
    public void grown(VolumeRecord volume) {
        if (volume.block()) {
            Loop.of(data.image(volume.id())).forEach(Loop::resize);
        }
    }

    @Override
    public Usage usage(VolumeRecord volume) {
        if (volume.block()) {
            return new Usage(0, 0);
        }
        long bytes = 0;
        long inodes = 0;
        try (var files = Files.walk(data.content(volume.id()))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                inodes++;
                bytes += Files.isRegularFile(file, java.nio.file.LinkOption.NOFOLLOW_LINKS) ? Files.size(file) : 0;
            }
        } catch (IOException | java.io.UncheckedIOException e) {
            throw CallRefusal.internal("cannot measure volume '" + volume.id() + "': " + e + "; call again");
        }
        return new Usage(bytes, inodes);
    }

    private static void bind(Path source, Path target) {
        ProcessCommand.run(SECONDS, "mount", "--bind", "--", source.toString(), target.toString());
        Checkpoint.reached();
    }

    private static void remount(Path target, List<String> flags, boolean readonly) {
        List<String> options = new ArrayList<>(List.of("remount", "bind"));
        options.addAll(flags);
        if (readonly) {
            options.add("ro");
        }
        if (options.size() > 2) {
            ProcessCommand.run(SECONDS, "mount", "-o", String.join(",", options), "--", target.toString());
        }
    }

    /** Resolves symbolic links, because the kernel lists mount points without links. */
    private static Path followed(Path path) {
        try {
            Path parent = path.getParent();
            return parent == null || !Files.isDirectory(parent)
                    ? path
                    : parent.toRealPath().resolve(path.getFileName());
        } catch (IOException e) {
            throw CallRefusal.internal("cannot follow '" + path + "': " + e);
        }
    }

    /** Whether something is mounted at a path, apart from dead mounts, which this method removes. */
    private static boolean mounted(Path path) {
        Path point = followed(path);
        removeDead(point);
        return ProcMounts.read().isMountPoint(point);
    }

    /** Removes mounts that only answer with errors, as those of a FUSE file system whose process has ended. */
    private static void removeDead(Path point) {
        while (ProcMounts.read().isMountPoint(point) && isDead(point)) {
            unmountTop(point);
        }
    }

    private static boolean isDead(Path point) {
        try {
            Files.readAttributes(point, BasicFileAttributes.class);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void unmountTop(Path point) {
        ProcessCommand.run(SECONDS, "umount", "--", point.toString());
    }

    /** Removes all mounts of the volume at a path and dead mounts there, and no other mount. */
    private void unmount(Path path, String volumeId) {
        Path point = followed(path);
        while (ProcMounts.read().isMountPoint(point)) {
            if (!isDead(point) && !isOf(point, volumeId)) {
                throw CallRefusal.internal("what is mounted at '" + path + "' is not volume '" + volumeId
                        + "'; unmount it by hand, then call again");
            }
            unmountTop(point);
        }
    }

    private boolean isOf(Path point, String volumeId) {
        try {
            Path content = data.content(volumeId);
            if (Files.exists(content)) {
                return Files.isSameFile(point, content);
            }
            return Loop.of(data.image(volumeId)).stream().anyMatch(loop -> loop.is(point));
        } catch (IOException e) {
            throw CallRefusal.internal("cannot read what is mounted at '" + point + "': " + e);
        }
    }
}
