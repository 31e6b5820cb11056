package io.csi4j.examples.scheduler;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The desired state of the cluster, from a text file: classes of volumes, volumes, jobs, drained nodes. The leader compares it with the allocations in the state of
 * csi4j. A scheduler for several machines keeps it in its own replicated log.
 *
 * <p>A wrong line counts as missing, and the others count. But a job that a wrong line may be about is neither started nor stopped.
 *
 * <pre>
 * class  kept    mode=SINGLE_NODE_WRITER reclaim=RETAIN
 * volume db      size=64Mi class=kept lifetime=job
 * volume logs    size=64Mi mode=MULTI_NODE_MULTI_WRITER
 * volume scratch size=16Mi lifetime=allocation
 * job database count=1 volumes=db,scratch
 * job web      count=2 volumes=logs read=yes
 * drain node-2
 * </pre>
 *
 * @param classes the classes, also those that volume lines use by the name of an access mode
 * @param volumes the volumes by name; a claim makes a volume that does not exist
 */
record JobFile(
        Map<VolumeClassName, VolumeClass> classes,
        Map<String, Volume> volumes,
        Map<String, Job> jobs,
        Set<NodeId> drained,
        List<WrongLine> wrongLines) {
    static final Namespace NAMESPACE = Namespace.of("default");

    /** A volume that the claims of jobs make. */
    record Volume(String name, VolumeClassName className, long bytes, VolumeLifetime lifetime) {
        VolumeTemplate template(WorkloadOwner job) {
            VolumeTemplate.Builder template =
                    VolumeTemplate.builder(className).capacityRange(CapacityRange.atLeast(bytes));
            return switch (lifetime) {
                case PERSISTENT -> template.build();
                case ALLOCATION -> template.ofAllocation().build();
                case WORKLOAD -> template.ofWorkload(job).reuseRetained(true).build();
            };
        }
    }

    /**
     * A job.
     *
     * @param count the number of allocations that run at the same time
     * @param volumes the names of the volumes of each allocation; may be empty
     * @param reads whether its allocations only read
     */
    record Job(String name, int count, List<String> volumes, boolean reads) {}

    /**
     * A line that cannot be used.
     *
     * @param number the number of the line, from 1
     * @param problem the problem with its remedy
     */
    record WrongLine(int number, String text, String problem) {
        /** Returns whether the line may be about a job. */
        boolean mayBe(String job) {
            JobLine line = JobLine.of(text);
            return switch (line.kind()) {
                case "class", "volume", "drain" -> false;
                case "job" -> !line.hasName() || line.name().equals(job);
                // A misspelled kind of line: about the job that it names, or about any if its name cannot be read.
                default -> text.contains(job) || (line.words().size() > 1 && !line.hasName());
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
        List<WrongLine> wrong = new ArrayList<>();
        JobFile file = new JobFile(
                new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>(), new TreeSet<>(), wrong);
        int number = 0;
        for (String line : lines) {
            number++;
            try {
                file.add(JobLine.of(line));
            } catch (IllegalArgumentException e) {
                wrong.add(new WrongLine(number, line.strip(), String.valueOf(e.getMessage())));
            }
        }
        return file;
    }

    private void add(JobLine line) {
        switch (line.kind()) {
            case "" -> {}
            case "class" -> {
                Map<String, String> settings = line.settings(Set.of("mode", "reclaim"));
                VolumeClass row = volumeClass(
                        line.name(),
                        JobLine.mode(settings),
                        JobLine.oneOf(ReclaimPolicy.class, settings, "reclaim", "delete"));
                classes.put(row.name(), row);
            }
            case "volume" -> {
                Volume volume = volume(line.name(), line.settings(Set.of("size", "mode", "class", "lifetime")));
                volumes.put(volume.name(), volume);
            }
            case "job" -> {
                Job job = job(line.name(), line.settings(Set.of("count", "volumes", "read")));
                for (String volume : job.volumes()) {
                    if (!volumes.containsKey(volume)) {
                        throw new IllegalArgumentException("there is no line 'volume " + volume
                                + "' above it; add that line, or take the volume out of this one");
                    }
                }
                jobs.put(job.name(), job);
            }
            case "drain" -> drained.add(NodeId.of(line.name()));
            default ->
                throw new IllegalArgumentException(
                        "'" + line.kind() + "' is no kind of line; begin with class, volume, job or drain");
        }
    }

    private static VolumeClass volumeClass(String name, VolumeAccessMode mode, ReclaimPolicy reclaim) {
        return VolumeClass.builder(VolumeClassName.of(name), ClusterLayout.PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(mode)))
                .binding(VolumeBinding.AT_PLACEMENT)
                .reclaim(reclaim)
                .build();
    }

    private Volume volume(String name, Map<String, String> settings) {
        return new Volume(
                name,
                classOf(settings),
                Sizes.bytes(settings.getOrDefault("size", "64Mi")),
                "job".equals(settings.get("lifetime"))
                        ? VolumeLifetime.WORKLOAD
                        : JobLine.oneOf(VolumeLifetime.class, settings, "lifetime", "persistent"));
    }

    /** Returns the class of a volume line; without one, each access mode has a class of its name. */
    private VolumeClassName classOf(Map<String, String> settings) {
        if (!settings.containsKey("class")) {
            VolumeAccessMode mode = JobLine.mode(settings);
            VolumeClass row =
                    volumeClass(mode.name().toLowerCase(Locale.ROOT).replace('_', '-'), mode, ReclaimPolicy.DELETE);
            classes.putIfAbsent(row.name(), row);
            return row.name();
        }
        VolumeClassName name = VolumeClassName.of(settings.get("class"));
        if (settings.containsKey("mode")) {
            throw new IllegalArgumentException("'mode' is the one of class " + name + "; leave one of them out");
        }
        if (!classes.containsKey(name)) {
            throw new IllegalArgumentException("there is no line 'class " + name + "' above it; add that line");
        }
        return name;
    }

    private static Job job(String name, Map<String, String> settings) {
        List<String> names = Stream.of(settings.getOrDefault("volumes", "").split(",", -1))
                .filter(volume -> !volume.isEmpty())
                .toList();
        boolean reads = "yes".equals(settings.get("read"));
        String count = settings.getOrDefault("count", "1");
        if (!count.matches("\\d{1,4}")) {
            throw new IllegalArgumentException("'count=" + count + "' is no number; write count=1, for example");
        }
        return new Job(name, Integer.parseInt(count), names, reads);
    }

    /**
     * Returns the requests with which an allocation of a job claims its volumes, and makes those that do not exist.
     *
     * @param owner the life of the job, to which volumes with the lifetime of the job belong
     */
    List<ClaimRequest> requests(Job job, WorkloadOwner owner, AllocationId allocation) {
        List<ClaimRequest> requests = new ArrayList<>();
        for (String name : job.volumes()) {
            Volume volume = Objects.requireNonNull(volumes.get(name), name);
            RequestedCapability capability = Objects.requireNonNull(classes.get(volume.className()), name)
                    .requestedCapabilities()
                    .get(0);
            requests.add(new VolumeRequest(name, job.reads(), capability, MountOptions.none(), false)
                    .madeFrom(volume.template(owner))
                    .claimOf(NAMESPACE, allocation, 0));
        }
        return requests;
    }

    /** Returns the life of a job that runs now: the one after the last that has ended. */
    static WorkloadOwner owner(StateReader state, String job) {
        WorkloadName name = WorkloadName.of(job);
        long ended = state.row(RowType.ENDED_OWNERS, new EndedOwner.Key(NAMESPACE, name))
                .map(row -> row.workload().incarnation())
                .orElse(0L);
        return new WorkloadOwner(name, ended + 1);
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
        return isUnclear(jobName(id));
    }

    boolean isUnclear(String job) {
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
