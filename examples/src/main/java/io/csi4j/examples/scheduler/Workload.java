package io.csi4j.examples.scheduler;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.node.MountedVolume;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Stands for the process of an allocation. Appends to a file in each volume that the allocation writes. In a volume
 * whose access mode allows only one node, it also locks a file: if another node holds that lock, csi4j has granted the
 * volume twice, and the volume is named in the report "violations".
 */
final class Workload implements AutoCloseable {
    private static final Set<VolumeAccessMode> ONE_NODE =
            Set.of(VolumeAccessMode.SINGLE_NODE_WRITER, VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER);

    private final List<FileChannel> locks = new ArrayList<>();

    Workload(AllocationId id, List<ClaimRequest> requests, List<MountedVolume> mounted, ClusterLayout layout) {
        for (MountedVolume volume : mounted) {
            ClaimRequest request = requests.stream()
                    .filter(candidate -> candidate.volume().equals(volume.volume()))
                    .findFirst()
                    .orElseThrow();
            if (request.mode() == ClaimMode.WRITE) {
                append(volume.targetPath().resolve("journal"), Instant.now() + " " + id);
            }
            if (ONE_NODE.contains(request.capability().accessMode()) && !lock(volume.targetPath())) {
                append(layout.report("violations"), id + " found " + volume.volume() + " in use on another node");
            }
        }
    }

    private boolean lock(Path target) {
        try {
            FileChannel channel =
                    FileChannel.open(target.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            locks.add(channel);
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException sameNode) {
            return true;
        } catch (IOException e) {
            System.err.println("workload: cannot lock in " + target + ": " + e);
            return true;
        }
    }

    static void append(Path file, String line) {
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            System.err.println("workload: cannot write " + file + ": " + e);
        }
    }

    /** Closes all files, so that the volumes can be unmounted. */
    @Override
    public void close() {
        for (FileChannel lock : locks) {
            try {
                lock.close();
            } catch (IOException e) {
                System.err.println("workload: " + e);
            }
        }
    }
}
