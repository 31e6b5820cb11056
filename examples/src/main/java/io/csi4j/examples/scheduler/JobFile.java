package io.csi4j.examples.scheduler;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The desired state of the cluster, from a text file: volumes, jobs, drained nodes. The leader compares it with the allocations in the state of
 * csi4j. A scheduler for several machines keeps it in its own replicated log.
 *
 * <pre>
 * volume db   size=64Mi mode=SINGLE_NODE_WRITER
 * volume logs size=64Mi mode=MULTI_NODE_MULTI_WRITER
 * job database count=1 volumes=db
 * job web      count=2 volumes=logs read=yes
 * drain node-2
 * </pre>
 */
record JobFile(Map<VolumeKey, Volume> volumes, Map<String, Job> jobs, Set<NodeId> drained) {
    static final Namespace NAMESPACE = Namespace.of("default");

    /** A volume that the leader creates if it does not exist. */
    record Volume(VolumeKey key, long bytes, VolumeAccessMode mode) {
        RequestedCapability capability() {
            return RequestedCapability.mount(mode);
        }

        VolumeSpec spec() {
            return VolumeSpec.builder(ClusterLayout.PLUGIN)
                    .requestedCapabilities(List.of(capability()))
                    .capacityRange(CapacityRange.atLeast(bytes))
                    .build();
        }
    }

    /**
     * A job.
     *
     * @param count the number of allocations that run at the same time
     * @param volumes the volumes of each allocation; may be empty
     * @param reads whether its allocations only read
     */
    record Job(String name, int count, List<VolumeKey> volumes, boolean reads) {}

    /** Reads the job file. A missing file counts as one without jobs and volumes. */
    static JobFile read(Path file) throws IOException {
        return parse(Files.exists(file) ? Files.readAllLines(file) : List.of());
    }

    static JobFile parse(List<String> lines) {
        Map<VolumeKey, Volume> volumes = new LinkedHashMap<>();
        Map<String, Job> jobs = new LinkedHashMap<>();
        Set<NodeId> drained = new TreeSet<>();
        int number = 0;
        for (String line : lines) {
            number++;
            String[] words = line.replaceFirst("#.*", "").strip().split("\\s+");
            try {
                parse(words, volumes, jobs, drained);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "line " + number + " of the job file, '" + line.strip() + "': " + e.getMessage(), e);
            }
        }
        return new JobFile(volumes, jobs, drained);
    }

    private static void parse(
            String[] words, Map<VolumeKey, Volume> volumes, Map<String, Job> jobs, Set<NodeId> drained) {
        switch (words[0]) {
            case "" -> {}
            case "volume" -> {
                Volume volume = volume(name(words), settings(words, Set.of("size", "mode")));
                volumes.put(volume.key(), volume);
            }
            case "job" -> {
                Job job = job(name(words), settings(words, Set.of("count", "volumes", "read")));
                for (VolumeKey key : job.volumes()) {
                    if (!volumes.containsKey(key)) {
                        throw new IllegalArgumentException("there is no line 'volume " + key.volumeId() + "' above it");
                    }
                }
                jobs.put(job.name(), job);
            }
            case "drain" -> drained.add(NodeId.of(name(words)));
            default -> throw new IllegalArgumentException("begin with volume, job or drain");
        }
    }

    private static String name(String[] words) {
        if (words.length < 2 || !words[1].matches("[a-z0-9][a-z0-9-]*")) {
            throw new IllegalArgumentException("the second word is a name of a-z, 0-9 and -");
        }
        return words[1];
    }

    private static Map<String, String> settings(String[] words, Set<String> known) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 2; i < words.length; i++) {
            String[] parts = words[i].split("=", 2);
            if (parts.length < 2 || !known.contains(parts[0])) {
                throw new IllegalArgumentException(
                        "'" + words[i] + "' is not one of " + new TreeSet<>(known) + ", as KEY=VALUE");
            }
            settings.put(parts[0], parts[1]);
        }
        return settings;
    }

    private static Volume volume(String name, Map<String, String> settings) {
        return new Volume(
                VolumeKey.of(NAMESPACE.value(), name),
                Sizes.bytes(settings.getOrDefault("size", "64Mi")),
                accessMode(settings.getOrDefault("mode", VolumeAccessMode.SINGLE_NODE_WRITER.name())));
    }

    /** Reads the name of an access mode, for example {@code SINGLE_NODE_WRITER}. */
    static VolumeAccessMode accessMode(String name) {
        return Stream.of(VolumeAccessMode.values())
                .filter(mode -> mode.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + name + "' is not an access mode; the modes are " + List.of(VolumeAccessMode.values())));
    }

    private static Job job(String name, Map<String, String> settings) {
        List<VolumeKey> keys = new ArrayList<>();
        for (String volume : settings.getOrDefault("volumes", "").split(",", -1)) {
            if (!volume.isEmpty()) {
                keys.add(VolumeKey.of(NAMESPACE.value(), volume));
            }
        }
        boolean reads = "yes".equals(settings.get("read"));
        return new Job(name, Integer.parseInt(settings.getOrDefault("count", "1")), List.copyOf(keys), reads);
    }

    /** Returns the requests with which each allocation of a job claims its volumes. */
    List<ClaimRequest> requests(Job job) {
        ClaimMode mode = job.reads() ? ClaimMode.READ : ClaimMode.WRITE;
        return job.volumes().stream()
                .map(key -> ClaimRequest.of(key, mode, known(key).capability()))
                .toList();
    }

    private Volume known(VolumeKey key) {
        Volume volume = volumes.get(key);
        if (volume == null) {
            throw new IllegalStateException("volume " + key + " was checked by parse");
        }
        return volume;
    }

    /** Returns the job and the instance number of an allocation as a name, for example {@code web-0}. */
    static String instance(AllocationId id) {
        return id.value().substring(0, id.value().lastIndexOf('-'));
    }

    /**
     * Returns the job of an allocation. Empty if the file no longer has the job, or has the job with fewer instances.
     */
    Optional<Job> jobOf(AllocationId id) {
        String instance = instance(id);
        int dash = instance.lastIndexOf('-');
        Job job = dash < 0 ? null : jobs.get(instance.substring(0, dash));
        return Optional.ofNullable(job).filter(found -> Integer.parseInt(instance.substring(dash + 1)) < found.count());
    }

    /** Changes the lines of the file in one step, so that no server reads half of them. */
    static void edit(Path file, UnaryOperator<List<String>> change) throws IOException {
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        List<String> changed = change.apply(lines);
        parse(changed);
        Path beside = Files.createTempFile(file.toAbsolutePath().getParent(), "jobs", ".new");
        Files.write(beside, changed);
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
