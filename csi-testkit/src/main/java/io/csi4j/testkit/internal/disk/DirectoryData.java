package io.csi4j.testkit.internal.disk;

import io.csi4j.proto.csi.v1.VolumeContentSource;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.storage.BlockMap;
import io.csi4j.testkit.internal.storage.VolumeData;
import io.csi4j.testkit.internal.store.Checkpoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The contents of volumes below a directory: each volume and snapshot has a directory {@code content} or a sparse file {@code image}.
 */
public final class DirectoryData implements VolumeData {
    private static final long COPY_SECONDS = 600;

    private final Path volumes;
    private final Path snapshots;

    public DirectoryData(Path stateDir) {
        this.volumes = stateDir.resolve("data").resolve("volumes");
        this.snapshots = stateDir.resolve("data").resolve("snapshots");
        try {
            Files.createDirectories(volumes);
            Files.createDirectories(snapshots);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot make the state directory " + stateDir + ": " + e, e);
        }
    }

    Path content(String volumeId) {
        return volumes.resolve(volumeId).resolve("content");
    }

    Path image(String volumeId) {
        return volumes.resolve(volumeId).resolve("image");
    }

    @Override
    public void createVolume(String volumeId, boolean block, long bytes, VolumeContentSource source) {
        requireOwnName(volumeId);
        Path target = volumes.resolve(volumeId);
        delete(target);
        Checkpoint.reached();
        switch (source.getTypeCase()) {
            case SNAPSHOT -> copy(snapshots.resolve(source.getSnapshot().getSnapshotId()), target);
            case VOLUME -> {
                flush(source.getVolume().getVolumeId());
                copy(volumes.resolve(source.getVolume().getVolumeId()), target);
            }
            default -> makeEmpty(target, block);
        }
        Checkpoint.reached();
        if (block) {
            resize(volumeId, true, bytes);
        }
        Checkpoint.reached();
    }

    @Override
    public void createInline(String volumeId, Map<String, String> attributes) {
        createVolume(volumeId, false, 0, VolumeContentSource.getDefaultInstance());
        StringBuilder lines = new StringBuilder();
        new TreeMap<>(attributes)
                .forEach((key, value) ->
                        lines.append(key).append('=').append(value).append('\n'));
        try {
            Path unused = Files.writeString(content(volumeId).resolve("attributes"), lines);
        } catch (IOException e) {
            throw CallRefusal.internal(
                    "cannot write the contents of an inline volume: " + e + "; check the state directory");
        }
        Checkpoint.reached();
    }

    /** Refuses an id that cannot be a file name, because a caller may send an id with any characters. */
    private static void requireOwnName(String volumeId) {
        if (!volumeId.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,127}")) {
            throw new IllegalArgumentException("volume id '" + volumeId
                    + "' cannot be a file name; use letters, digits, '.', '_' and '-', the first one alphanumeric");
        }
    }

    private static void makeEmpty(Path target, boolean block) {
        try {
            Files.createDirectories(target);
            if (block) {
                Files.createFile(target.resolve("image"));
            } else {
                Files.createDirectory(target.resolve("content"));
            }
        } catch (IOException e) {
            throw CallRefusal.internal("cannot make " + target + ": " + e + "; check the state directory");
        }
    }

    private static void copy(Path source, Path target) {
        ProcessCommand.run(
                COPY_SECONDS,
                "cp",
                "--archive",
                "--one-file-system",
                "--reflink=auto",
                "--sparse=auto",
                "--no-target-directory",
                "--",
                source.toString(),
                target.toString());
    }

    private void flush(String volumeId) {
        List<Loop> loops = Loop.of(image(volumeId));
        loops.stream().filter(loop -> !loop.readonly()).forEach(Loop::flush);
    }

    @Override
    public void resize(String volumeId, boolean block, long bytes) {
        if (!block) {
            return; // A directory has no size limit, so there is nothing to resize.
        }
        try (RandomAccessFile image = new RandomAccessFile(image(volumeId).toFile(), "rw")) {
            image.setLength(bytes);
            image.getFD().sync();
        } catch (IOException e) {
            throw CallRefusal.internal("cannot give the image of volume '" + volumeId + "' " + bytes + " bytes: " + e
                    + "; check the state directory");
        }
    }

    @Override
    public void deleteVolume(String volumeId) {
        requireOwnName(volumeId);
        if (!Loop.of(image(volumeId)).isEmpty()) {
            throw CallRefusal.failedPrecondition("a loop device still uses the image of volume '" + volumeId
                    + "'; unpublish and unstage it, or detach the device with 'losetup --detach'");
        }
        delete(volumes.resolve(volumeId));
    }

    @Override
    public void createSnapshot(String snapshotId, String volumeId) {
        delete(snapshots.resolve(snapshotId));
        Checkpoint.reached();
        flush(volumeId);
        copy(volumes.resolve(volumeId), snapshots.resolve(snapshotId));
        Checkpoint.reached();
    }

    @Override
    public void deleteSnapshot(String snapshotId) {
        delete(snapshots.resolve(snapshotId));
    }

    @Override
    public BlockMap blocks(String snapshotId) {
        return new ImageBlocks(snapshots.resolve(snapshotId).resolve("image"));
    }

    private static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> mounted = ProcMounts.read().below(directory);
        if (!mounted.isEmpty()) {
            throw CallRefusal.failedPrecondition("something is mounted at " + mounted
                    + "; unmount it, this plugin deletes nothing across a mount point");
        }
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                        throws IOException {
                    if (failure != null) {
                        throw failure;
                    }
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw CallRefusal.internal(
                    "cannot delete " + directory + ": " + e + "; check the state directory, then call again");
        }
        Checkpoint.reached();
    }
}
