package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.core.id.NodeId;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.ProcessMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs a whole cluster on this machine: prepares its directory, starts its processes and ends them. */
final class ClusterRun implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration RELEASE = Duration.ofSeconds(60);
    private static final long REPORT_NANOS = Duration.ofSeconds(15).toNanos();
    private static final long POLL_MILLIS = 300;

    private final ClusterLayout layout;
    private final Machines machines;
    private final LineClient leader;
    private final boolean keep;
    private volatile boolean started;
    private volatile boolean keepsFiles;
    private boolean closed;

    /**
     * Prepares the directory and the job file of a cluster. Starts no process.
     *
     * @param jobs the job file; null: the one of the last run in this directory, if there was a run
     * @param keep whether volumes and directory stay at the end
     */
    ClusterRun(
            Path directory,
            int servers,
            int nodes,
            LogPlace log,
            @Nullable Path jobs,
            DriverCommand plugin,
            boolean keep)
            throws IOException {
        JobFile.check(jobs == null ? directory.resolve("jobs.txt") : jobs);
        this.layout = ClusterLayout.prepare(directory, servers, nodes, log);
        this.keep = keep;
        this.leader = new LineClient(layout.adminSockets(), PATIENCE);
        Path kept = layout.jobs().resolveSibling("jobs.kept");
        if (jobs != null) {
            Files.copy(jobs, layout.jobs(), StandardCopyOption.REPLACE_EXISTING);
        } else if (Files.exists(kept)) {
            Files.copy(kept, layout.jobs(), StandardCopyOption.REPLACE_EXISTING);
        }
        this.machines = new Machines(layout, plugin);
    }

    /** Starts all processes, and waits until a server leads and all nodes are ready. */
    void start() throws IOException {
        machines.start();
        await("all nodes to be ready", PATIENCE, () -> ask("ready").getAsBoolean());
        started = true;
    }

    ClusterLayout layout() {
        return layout;
    }

    Machines machines() {
        return machines;
    }

    /** Sends a request to the leader that only this scheduler has. */
    JsonElement ask(String op) throws IOException {
        return leader.ask(op, new JsonObject(), line -> {});
    }

    /** A condition on the cluster's state that a run can wait for, for example that a workload runs. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }

    void await(String what, Duration limit, Condition condition) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new IOException("waited " + limit.toSeconds() + " s for " + what);
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    /** Returns what is left of jobs: allocations, claims and attachments, and nodes that may have more. */
    List<String> remaining() throws IOException {
        return ask("remaining").getAsJsonArray().asList().stream()
                .map(JsonElement::getAsString)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /**
     * Ends all jobs, brings drained nodes back, and waits until each volume is free.
     *
     * @param repair runs again and again while volumes are not free
     */
    void endJobs(Duration limit, Runnable repair) throws IOException {
        JobFile.edit(
                layout.jobs(),
                lines -> lines.stream()
                        .filter(line -> line.startsWith("volume") || line.startsWith("class"))
                        .toList());
        long begin = System.nanoTime();
        long end = begin + limit.toNanos();
        long nextReport = begin + REPORT_NANOS;
        for (List<String> left = remaining(); !left.isEmpty(); left = remaining()) {
            long now = System.nanoTime();
            if (now > end) {
                throw new IOException("after " + limit.toSeconds() + " s these are left: " + left);
            }
            if (now > nextReport) {
                System.out.println("still left: " + left);
                repair.run();
                nextReport += REPORT_NANOS;
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    /** Returns the provider's ids of the volumes in the state. */
    Set<String> madeVolumes() throws IOException {
        return ask("volumes made").getAsJsonArray().asList().stream()
                .map(JsonElement::getAsString)
                .collect(Collectors.toSet());
    }

    /** Empties the job file, and then deletes all volumes. */
    void deleteVolumes() throws IOException {
        JobFile.edit(layout.jobs(), lines -> List.of());
        ask("volumes delete");
    }

    /** Makes {@link #close} leave the directory with its logs; volumes are deleted, and mounts removed, as far as possible. */
    void keepFiles() {
        keepsFiles = true;
    }

    /** Returns the mounts in the directories of the nodes. */
    List<Path> mounts() throws IOException {
        List<Path> mounts = new ArrayList<>();
        ProcessMounts table = ProcessMounts.read();
        for (NodeId node : layout.nodeIds()) {
            table.under(layout.node(node)).forEach(mount -> mounts.add(mount.path()));
        }
        return mounts;
    }

    /**
     * Ends the jobs, waits for their volumes, and ends all processes. Removes the volumes and the directory, unless
     * {@code keep} is set.
     */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (Files.exists(layout.jobs())) {
                Files.copy(
                        layout.jobs(), layout.jobs().resolveSibling("jobs.kept"), StandardCopyOption.REPLACE_EXISTING);
            }
            if (started) {
                machines.resumeAll();
                endJobs(RELEASE, () -> {});
                if (!keep) {
                    deleteVolumes();
                }
            }
        } catch (IOException e) {
            System.err.println("scheduler: stopping without all volumes released: " + e.getMessage());
        } finally {
            machines.close();
            CallerDirectories.unmountAll(layout.directory());
            if (!keep && !keepsFiles) {
                CallerDirectories.removeAll(layout.directory());
                CallerDirectories.removeAll(layout.databaseDirectory());
            }
        }
    }
}
