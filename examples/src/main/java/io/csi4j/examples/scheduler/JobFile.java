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
import java.nio.charset.StandardCharsets;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The desired state of the cluster, from a text file: volumes, jobs, drained nodes. The leader compares it with the allocations in the state of
 * csi4j. A scheduler for several machines keeps it in its own replicated log.
 *
 * <p>A wrong line counts as missing, and the others count. But a job that a wrong line may be about is neither started nor stopped.
 *
 * <pre>
 * volume db   size=64Mi mode=SINGLE_NODE_WRITER
 * volume logs size=64Mi mode=MULTI_NODE_MULTI_WRITER
 * job database count=1 volumes=db
 * job web      count=2 volumes=logs read=yes
 * drain node-2
 * </pre>
 */
record JobFile(Map<VolumeKey, Volume> volumes, Map<String, Job> jobs, Set<NodeId> drained, List<WrongLine> wrongLines) {
    static final Namespace NAMESPACE = Namespace.of("default");
    private static final String NAME = "[a-z0-9][a-z0-9-]*";

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

    /**
     * A line that cannot be used.
     *
     * @param number the number of the line, from 1
     * @param problem the problem with its remedy
     */
    record WrongLine(int number, String text, String problem) {
        /** Returns whether the line may be about a job. */
        boolean mayBe(String job) {
            String[] words = words(text);
            return switch (words[0]) {
                case "volume", "drain" -> false;
                case "job" -> words.length < 2 || !words[1].matches(NAME) || words[1].equals(job);
                // A misspelled kind of line: about the job that it names, or about any if its name cannot be read.
                default -> text.contains(job) || (words.length > 1 && !words[1].matches(NAME));
            };
        }

        /** Returns a sentence for operators. */
        String in(Path file) {
            return file + ", line " + number + ", '" + text + "': " + problem;
        }
    }

    /** Reads the job file. A missing file counts as one without jobs and volumes. */
    static JobFile read(Path file) throws IOException {
        return parse(lines(file));
    }

    /**
     * Reads a job file that has to be right.
     *
     * @throws IOException if a line is wrong
     */
    static void check(Path file) throws IOException {
        List<WrongLine> wrong = read(file).wrongLines();
        if (!wrong.isEmpty()) {
            throw new IOException(wrong.get(0).in(file));
        }
    }

    /** Returns the lines; a byte that is no text makes at most its own line wrong. */
    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file)
                ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                        .lines()
                        .toList()
                : List.of();
    }

    static JobFile parse(List<String> lines) {
        Map<VolumeKey, Volume> volumes = new LinkedHashMap<>();
        Map<String, Job> jobs = new LinkedHashMap<>();
        Set<NodeId> drained = new TreeSet<>();
        List<WrongLine> wrong = new ArrayList<>();
        int number = 0;
        for (String line : lines) {
            number++;
            try {
                parse(words(line), volumes, jobs, drained);
            } catch (IllegalArgumentException e) {
                wrong.add(new WrongLine(number, line.strip(), String.valueOf(e.getMessage())));
            }
        }
        return new JobFile(volumes, jobs, drained, wrong);
    }

    private static String[] words(String line) {
        return line.replaceFirst("#.*", "").strip().split("\\s+");
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
                        throw new IllegalArgumentException("there is no line 'volume " + key.volumeId()
                                + "' above it; add that line, or take the volume out of this one");
                    }
                }
                jobs.put(job.name(), job);
            }
            case "drain" -> drained.add(NodeId.of(name(words)));
            default ->
                throw new IllegalArgumentException(
                        "'" + words[0] + "' is no kind of line; begin with volume, job or drain");
        }
    }

    private static String name(String[] words) {
        if (words.length < 2 || !words[1].matches(NAME)) {
            throw new IllegalArgumentException("the second word is no name; write a name of a-z, 0-9 and -");
        }
        return words[1];
    }

    private static Map<String, String> settings(String[] words, Set<String> known) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 2; i < words.length; i++) {
            String[] parts = words[i].split("=", 2);
            if (parts.length < 2 || !known.contains(parts[0])) {
                throw new IllegalArgumentException("'" + words[i] + "' is not one of " + new TreeSet<>(known)
                        + ", as KEY=VALUE; correct or remove it");
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
        String count = settings.getOrDefault("count", "1");
        if (!count.matches("\\d{1,4}")) {
            throw new IllegalArgumentException("'count=" + count + "' is no number; write count=1, for example");
        }
        return new Job(name, Integer.parseInt(count), List.copyOf(keys), reads);
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
        Job job = dash < 0 ? null : jobs.get(jobName(id));
        return Optional.ofNullable(job).filter(found -> Integer.parseInt(instance.substring(dash + 1)) < found.count());
    }

    /** Returns whether a wrong line may be that of an allocation's job, so that the allocation has to stay as it is. */
    boolean isUnclear(AllocationId id) {
        String job = jobName(id);
        return !jobs.containsKey(job) && wrongLines.stream().anyMatch(line -> line.mayBe(job));
    }

    private static String jobName(AllocationId id) {
        String instance = instance(id);
        return instance.substring(0, Math.max(0, instance.lastIndexOf('-')));
    }

    /**
     * Changes the lines of the file in one step, so that no server reads half of them.
     *
     * @throws IllegalArgumentException if the change makes a line wrong
     */
    static void edit(Path file, UnaryOperator<List<String>> change) throws IOException {
        List<String> lines = lines(file);
        List<String> changed = change.apply(lines);
        Set<String> before =
                parse(lines).wrongLines().stream().map(WrongLine::text).collect(Collectors.toSet());
        for (WrongLine wrong : parse(changed).wrongLines()) {
            if (!before.contains(wrong.text())) {
                throw new IllegalArgumentException(wrong.in(file));
            }
        }
        Path beside = Files.createTempFile(file.toAbsolutePath().getParent(), "jobs", ".new");
        Files.write(beside, changed);
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
