package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeExpandVolumeResponse;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.spi.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A plugin and its machine in memory. For each call, a fate decides whether it takes effect at once, late or never, and whether its
 * response is lost. A call that breaks a rule of CSI fails the test.
 */
final class ScriptedNode implements NodeService, MountTable {
    /** The fate of one call. */
    enum Fate {
        OK,
        LOST_ANSWER,
        NOT_DONE,
        LATE,
        UNAVAILABLE,
        ABORTED,
        UNAUTHENTICATED,
        FULL,
        REFUSED
    }

    final VirtualTime time;
    final boolean stages;
    final List<String> log = new ArrayList<>();
    /** The received stage requests, in order. */
    final List<NodeStageVolumeRequest> stageRequests = new ArrayList<>();

    final List<NodePublishVolumeRequest> publishRequests = new ArrayList<>();
    /** The staging paths of the received queries of statistics and health, in order. */
    final List<Optional<String>> queriedStagings = new ArrayList<>();

    final Map<String, String> staged = new HashMap<>();
    final Map<String, String> published = new TreeMap<>();
    final Set<Path> mounts = new HashSet<>();
    /** The security contexts of the mounts that have one. */
    final Map<Path, String> contexts = new HashMap<>();

    final Map<String, Integer> inFlight = new HashMap<>();
    final Set<String> violations = new HashSet<>();
    /** The targets whose workloads still run. */
    final Set<String> living = new HashSet<>();

    Function<Rpc, Fate> fates = rpc -> Fate.OK;
    /** The id of the boot; null: it cannot be read. */
    @Nullable String boot = "boot-1";

    boolean there = true;
    /** The plugin's id of this machine; null: it reports none. */
    @Nullable String externalId;

    boolean tableFails;
    /** Whether the plugin trusts its own record and does not mount a recorded volume again (R89). */
    boolean byRecord;
    /** Whether the plugin answers OK to mount calls without mounting. */
    boolean mountsNothing;
    /** Whether the plugin answers OK to mount calls with a security label, and mounts without it. */
    boolean dropsLabel;
    /** Whether the plugin creates a block device at the target, without a mount. */
    boolean device;
    /** Where the target of a publish leads, which then is a link; null: the target is a directory. */
    @Nullable Path linksTo;
    /** The condition that the plugin reports for each volume, as in CSI 1.12; null: the plugin has a newer version and reports health. */
    @Nullable VolumeCondition condition;
    /** The additional capabilities of the plugin. */
    final List<NodeCapability> offers = new ArrayList<>();
    /** Whether the plugin has forgotten all volumes and answers NOT_FOUND instead of unmounting. */
    boolean notFound;
    /** The number of NodeUnpublishVolume calls that the plugin answers with OK without unmounting. */
    int leavesMounts;
    /** Whether the plugin answers NodeUnpublishVolume with OK, without unmounting, for targets that it has no record of. */
    boolean denies;
    /**
     * Whether the plugin answers INTERNAL to NodeUnpublishVolume for a target that is not published. Host path 1.1 and 1.2
     * do so for each repetition of a successful call.
     */
    boolean refusesUnpublished;
    /**
     * Targets that the plugin has on record as published, from a machine that was fenced and came back empty. Host path
     * 1.18 then answers INTERNAL to each NodeUnstageVolume.
     */
    final Set<String> remembered = new HashSet<>();
    /**
     * Whether the plugin makes the content of its volumes where they are published. It keeps that content, also over a
     * reboot, until NodeUnpublishVolume.
     */
    boolean inline;
    /** The ids of the inline volumes whose content the plugin keeps. */
    final Set<String> contents = new HashSet<>();
    /** Whether the plugin stages in its own record only, without a mount. */
    boolean stagesWithoutMount;
    /** The number of mounts on top of each other at each mount point. */
    final Map<Path, Integer> layers = new HashMap<>();

    /** Runs after each NodePublishVolume that takes effect. */
    Consumer<Path> afterPublish = target -> {};
    /** The ids of the mounts in the mount table. */
    final Map<Path, Integer> ids = new HashMap<>();
    /** The largest number of NodePublishVolume calls at the same time. */
    int mostPublishing;

    private int publishing;
    private int life;

    ScriptedNode(VirtualTime time, boolean stages) {
        this.time = time;
        this.stages = stages;
    }

    NodePlugin plugin() {
        List<NodeCapability> offered = new ArrayList<>(List.of(
                NodeCapability.GET_VOLUME_STATS,
                NodeCapability.EXPAND_VOLUME,
                condition == null ? NodeCapability.GET_VOLUME_HEALTH : NodeCapability.VOLUME_CONDITION));
        offered.addAll(offers);
        if (stages) {
            offered.add(NodeCapability.STAGE_UNSTAGE_VOLUME);
        }
        NodePlugin plugin = NodePlugin.of(this, CapabilitySet.of(NodeCapability.class, offered));
        return externalId == null ? plugin : plugin.on(ExternalNodeId.of(externalId));
    }

    Optional<NodePlugin> found() {
        return there ? Optional.of(plugin()) : Optional.empty();
    }

    /** Simulates a crash of the calling process; the next process does not know its calls (R27). */
    void callerDied() {
        life++;
        inFlight.clear();
    }

    /** Simulates a plugin that was killed after it had mounted the target and before it recorded the mount. */
    void loseRecord(String target) {
        published.remove(target);
    }

    /** Removes the topmost mount at a path. */
    void unmount(Path path) {
        int left = layers.getOrDefault(path, 1) - 1;
        if (left > 0) {
            layers.put(path, left);
        } else {
            layers.remove(path);
            mounts.remove(path);
            contexts.remove(path);
        }
    }

    void reboot() {
        layers.clear();
        mounts.clear();
        contexts.clear();
        staged.clear();
        published.clear();
        inFlight.clear();
        boot = boot + "+";
    }

    @Override
    public MountPoints read() throws java.io.IOException {
        if (tableFails) {
            throw new java.io.IOException("the table cannot be read");
        }
        return MountPoints.of(mounts, mount -> ids.getOrDefault(mount, 0) + " x" + layers.getOrDefault(mount, 0))
                .withContexts(contexts);
    }

    @Override
    public Optional<String> bootId() {
        return Optional.ofNullable(boot);
    }

    @Override
    public CompletableFuture<Void> nodeStageVolume(NodeStageVolumeRequest request) {
        stageRequests.add(request);
        String volume = request.volumeId().value();
        String path = request.stagingTargetPath();
        return call(Rpc.NODE_STAGE_VOLUME, volume, path, null, () -> {
            if (!java.nio.file.Files.isDirectory(Path.of(path))) {
                violations.add("staged at " + path + ", which the caller did not make (R85)");
            }
            String other = staged.put(volume, path);
            if (other != null && !other.equals(path)) {
                violations.add(volume + " staged at two paths (R85)");
            }
            if (!stagesWithoutMount) {
                mount(path, other != null);
                label(path, request.volumeCapability());
            }
        });
    }

    @Override
    public CompletableFuture<Void> nodeUnstageVolume(NodeUnstageVolumeRequest request) {
        String volume = request.volumeId().value();
        String path = request.stagingTargetPath();
        return call(Rpc.NODE_UNSTAGE_VOLUME, volume, path, null, () -> {
            published.forEach((target, of) -> {
                if (of.equals(volume)) {
                    violations.add("unstaged " + volume + " while it is published at " + target);
                }
            });
            staged.remove(volume, path);
            unmount(Path.of(path));
        });
    }

    @Override
    public CompletableFuture<Void> nodePublishVolume(NodePublishVolumeRequest request) {
        publishRequests.add(request);
        String volume = request.volumeId().value();
        String path = request.targetPath();
        if ((stages && !inline) != request.stagingTargetPath().isPresent()) {
            violations.add("stagingTargetPath does not fit STAGE_UNSTAGE_VOLUME");
        }
        if (stages && !inline && !staged.containsKey(volume)) {
            violations.add("published " + volume + " before it was staged");
        }
        publishing++;
        mostPublishing = Math.max(mostPublishing, publishing);
        CompletableFuture<Void> answer = publish(volume, path, request.volumeCapability());
        var unused = answer.whenComplete((nothing, error) -> publishing--);
        return answer;
    }

    private CompletableFuture<Void> publish(String volume, String path, VolumeCapability capability) {
        return call(Rpc.NODE_PUBLISH_VOLUME, volume, path, null, () -> {
            boolean known = published.put(path, volume) != null;
            if (inline) {
                contents.add(volume);
            }
            if (linksTo != null) {
                link(Path.of(path), linksTo);
                return;
            }
            mount(path, known);
            label(path, capability);
            if (device) {
                path(path).delete();
                RealMountsTest.run("mknod", path, "b", "7", "0");
            } else {
                make(Path.of(path));
            }
            afterPublish.accept(Path.of(path));
        });
    }

    @Override
    public CompletableFuture<Void> nodeUnpublishVolume(NodeUnpublishVolumeRequest request) {
        String path = request.targetPath();
        if (living.contains(path)) {
            violations.add("unpublished " + path + ", which is in use");
        }
        return call(Rpc.NODE_UNPUBLISH_VOLUME, request.volumeId().value(), path, null, () -> {
            contents.remove(request.volumeId().value());
            if (leavesMounts > 0) {
                leavesMounts--;
                return;
            }
            if (published.remove(path) == null && denies) {
                return;
            }
            unmount(Path.of(path));
            path(path).delete();
        });
    }

    private void mount(String path, boolean known) {
        if (!mountsNothing && !(byRecord && known)) {
            boolean first = mounts.add(Path.of(path));
            if (first) {
                ids.merge(Path.of(path), 1, Integer::sum);
                layers.put(Path.of(path), 1);
            } else if (!known) {
                layers.merge(Path.of(path), 1, Integer::sum);
            }
        }
    }

    /** Mounts with the context of the flags, as the kernel shows it: it writes adjacent categories as a range. */
    private void label(String path, VolumeCapability capability) {
        capability
                .mountVolume()
                .map(mounted -> mounted.mountFlags().asList())
                .orElse(List.of())
                .forEach(flag -> {
                    if (flag.startsWith("context=\"") && !dropsLabel && mounts.contains(Path.of(path))) {
                        contexts.put(
                                Path.of(path),
                                flag.substring("context=\"".length(), flag.length() - 1)
                                        .replace("c1,c2,c3", "c1.c3"));
                    }
                });
    }

    private static void link(Path path, Path to) {
        try {
            java.nio.file.Files.deleteIfExists(path);
            java.nio.file.Files.createSymbolicLink(path, to);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static java.io.File path(String path) {
        return new java.io.File(path);
    }

    private static void make(Path path) {
        if (!path.toFile().isDirectory()) {
            assertThat(path.toFile().mkdir())
                    .as("the parent of %s exists (R88)", path)
                    .isTrue();
        }
    }

    private <T> CompletableFuture<T> call(Rpc rpc, String volume, String path, T answer, Runnable effect) {
        Fate fate = fates.apply(rpc);
        log.add(rpc.csiName() + " " + path.substring(path.lastIndexOf('/') + 1) + " " + fate);
        if (inFlight.merge(volume, 1, Integer::sum) > 1) {
            violations.add("two calls in flight for " + volume + " (R26)");
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        @Nullable String bootNow = boot;
        int lifeNow = life;
        time.schedule(Duration.ofMillis(5), () -> {
            if (!Objects.equals(bootNow, boot)) {
                return;
            }
            if (lifeNow == life) {
                inFlight.merge(volume, -1, Integer::sum);
            }
            if (notFound && (rpc == Rpc.NODE_UNPUBLISH_VOLUME || rpc == Rpc.NODE_UNSTAGE_VOLUME)) {
                result.completeExceptionally(failure(rpc, StatusCode.NOT_FOUND));
                return;
            }
            if (rpc == Rpc.NODE_UNPUBLISH_VOLUME && refusesUnpublished && !published.containsKey(path)) {
                result.completeExceptionally(failure(rpc, StatusCode.INTERNAL, "not mounted"));
                return;
            }
            if (rpc == Rpc.NODE_UNSTAGE_VOLUME && !remembered.isEmpty()) {
                result.completeExceptionally(failure(rpc, StatusCode.INTERNAL, "still published at " + remembered));
                return;
            }
            if (fate == Fate.OK || fate == Fate.LOST_ANSWER) {
                effect.run();
            } else if (fate == Fate.LATE) {
                time.schedule(Duration.ofSeconds(90), () -> {
                    // A late publish succeeds only if the parent directory exists, as for a real plugin.
                    boolean parent = Path.of(path).getParent().toFile().isDirectory();
                    boolean possible = rpc == Rpc.NODE_PUBLISH_VOLUME
                            && parent
                            && (!stages || inline || staged.containsKey(volume));
                    boolean harmless = rpc == Rpc.NODE_STAGE_VOLUME
                            && Path.of(path).toFile().isDirectory();
                    if (Objects.equals(bootNow, boot) && (possible || harmless)) {
                        effect.run();
                    }
                });
            }
            if (lifeNow != life) {
                // The caller has crashed, so there is no response.
                return;
            }
            if (fate == Fate.OK) {
                result.complete(answer);
            } else {
                result.completeExceptionally(failure(rpc, code(fate)));
            }
        });
        return result;
    }

    static StatusCode code(Fate fate) {
        return switch (fate) {
            case OK -> StatusCode.OK;
            case LOST_ANSWER, NOT_DONE, LATE -> StatusCode.DEADLINE_EXCEEDED;
            case UNAVAILABLE -> StatusCode.UNAVAILABLE;
            case ABORTED -> StatusCode.ABORTED;
            case UNAUTHENTICATED -> StatusCode.UNAUTHENTICATED;
            case FULL -> StatusCode.RESOURCE_EXHAUSTED;
            case REFUSED -> StatusCode.INVALID_ARGUMENT;
        };
    }

    static CsiCallException failure(Rpc rpc, StatusCode code) {
        return failure(rpc, code, code.toString());
    }

    private static CsiCallException failure(Rpc rpc, StatusCode code, String text) {
        return new CsiCallException(
                rpc, "p", null, code, CallOutcome.of(rpc, code, false), rpc.csiName() + ": " + text, null);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> nodeGetVolumeStats(NodeGetVolumeStatsRequest request) {
        queriedStagings.add(request.stagingTargetPath());
        var stats = new NodeGetVolumeStatsResponse(List.of(), Optional.ofNullable(condition));
        return call(Rpc.NODE_GET_VOLUME_STATS, request.volumeId().value(), request.volumePath(), stats, () -> {});
    }

    @Override
    public CompletableFuture<NodeExpandVolumeResponse> nodeExpandVolume(NodeExpandVolumeRequest request) {
        log.add("expand with " + request.stagingTargetPath().isPresent() + " "
                + request.volumeCapability()
                        .orElseThrow()
                        .mountVolume()
                        .orElseThrow()
                        .fsType() + " "
                + request.secrets());
        return call(
                Rpc.NODE_EXPAND_VOLUME,
                request.volumeId().value(),
                request.volumePath(),
                new NodeExpandVolumeResponse(7),
                () -> {});
    }

    @Override
    public CompletableFuture<NodeGetCapabilitiesResponse> nodeGetCapabilities() {
        throw new AssertionError("not called by node volumes");
    }

    @Override
    public CompletableFuture<NodeGetInfoResponse> nodeGetInfo() {
        throw new AssertionError("not called by node volumes");
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> nodeGetVolumeHealth(NodeGetVolumeHealthRequest request) {
        queriedStagings.add(request.stagingTargetPath());
        return call(
                Rpc.NODE_GET_VOLUME_HEALTH,
                request.volumeId().value(),
                request.volumePublishPath().orElseThrow(),
                new NodeGetVolumeHealthResponse(Optional.empty()),
                () -> {});
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> nodeGetStorageHealth(NodeGetStorageHealthRequest request) {
        throw new AssertionError("not called by node volumes");
    }
}
