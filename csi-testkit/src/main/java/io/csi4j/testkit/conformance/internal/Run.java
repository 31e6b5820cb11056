package io.csi4j.testkit.conformance.internal;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteSnapshotRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.conformance.Exchange;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of one check: makes the calls, judges the answers, and removes the volumes and snapshots that the check
 * created.
 */
public final class Run extends Judge {
    /** An id that no plugin has given. */
    public static final String UNKNOWN = "csi4j-unknown-4711";

    private final ConformanceSettings settings;
    private final ProbedPlugin plugin;
    private final TimeSource time;
    private final Path directory;
    private final String namePrefix;
    private final Deque<Cleanup> cleanups = new ArrayDeque<>();
    private int names;

    /** One object to remove at the end of the check, for example a volume. */
    record Cleanup(String what, Runnable action) {}

    Run(
            ConformanceSettings settings,
            ProbedPlugin plugin,
            RawCalls calls,
            TimeSource time,
            Path directory,
            RuleChoice rules,
            String namePrefix) {
        super(calls, rules, new MessageText(settings.secrets().values()));
        this.settings = settings;
        this.plugin = plugin;
        this.time = time;
        this.directory = directory;
        this.namePrefix = namePrefix;
    }

    public ConformanceSettings settings() {
        return settings;
    }

    public ProbedPlugin plugin() {
        return plugin;
    }

    Path directory() {
        return directory;
    }

    public boolean has(Need need) {
        return need.met(plugin, settings);
    }

    // Stubs. Each carries the time limit of one call.

    public IdentityGrpc.IdentityBlockingStub identity() {
        return IdentityGrpc.newBlockingStub(calls().node()).withDeadlineAfter(millis(), TimeUnit.MILLISECONDS);
    }

    public IdentityGrpc.IdentityBlockingStub controllerIdentity() {
        return IdentityGrpc.newBlockingStub(calls().controller()).withDeadlineAfter(millis(), TimeUnit.MILLISECONDS);
    }

    public ControllerGrpc.ControllerBlockingStub controller() {
        return ControllerGrpc.newBlockingStub(calls().controller()).withDeadlineAfter(millis(), TimeUnit.MILLISECONDS);
    }

    public GroupControllerGrpc.GroupControllerBlockingStub groups() {
        return GroupControllerGrpc.newBlockingStub(calls().controller())
                .withDeadlineAfter(millis(), TimeUnit.MILLISECONDS);
    }

    public SnapshotMetadataGrpc.SnapshotMetadataBlockingStub metadata() {
        return SnapshotMetadataGrpc.newBlockingStub(calls().controller())
                .withDeadlineAfter(millis(), TimeUnit.MILLISECONDS);
    }

    public NodeGrpc.NodeBlockingStub node() {
        return NodeGrpc.newBlockingStub(calls().node()).withDeadlineAfter(millis(), TimeUnit.MILLISECONDS);
    }

    private long millis() {
        return settings.timeout().toMillis();
    }

    /** Adds to the report a step other than a call to the plugin, for example a write to a file. */
    public void step(String name, String result) {
        calls().record(new Exchange(name, "", result, true, Duration.ZERO));
    }

    // Names and requests for new volumes and snapshots, and methods that create them.

    /** Returns a name for a new volume or snapshot, which no other check or run uses. */
    public String name(String what) {
        return namePrefix + "-" + what + "-" + ++names;
    }

    /** Returns the volume capability that the settings ask for. */
    public VolumeCapability capability() {
        return settings.volume().capability(settings.volume().mode());
    }

    /** Returns the volume capability that the settings ask for, but with the given access mode. */
    public VolumeCapability capability(Mode mode) {
        return settings.volume().capability(mode);
    }

    public Map<String, String> secrets(String rpc) {
        return settings.secrets().of(rpc);
    }

    /** Returns a request that every plugin with CREATE_DELETE_VOLUME can fulfil, with a new name. */
    public CreateVolumeRequest.Builder createRequest(String what) {
        CreateVolumeRequest.Builder request = CreateVolumeRequest.newBuilder()
                .setName(name(what))
                .addVolumeCapabilities(capability())
                .setCapacityRange(CapacityRange.newBuilder()
                        .setRequiredBytes(settings.volume().bytes()))
                .putAllParameters(settings.parameters())
                .putAllSecrets(secrets("CreateVolume"));
        if (has(Need.TOPOLOGY) && plugin.nodeInfo().hasAccessibleTopology()) {
            request.getAccessibilityRequirementsBuilder()
                    .addRequisite(plugin.nodeInfo().getAccessibleTopology())
                    .addPreferred(plugin.nodeInfo().getAccessibleTopology());
        }
        return request;
    }

    /** Creates a volume. The end of the check deletes it. */
    public Volume create(CreateVolumeRequest request) {
        Volume volume = controller().createVolume(request).getVolume();
        deleteAtEnd(volume.getVolumeId());
        return volume;
    }

    /** Adds a volume to the objects that are deleted at the end of the check. */
    public void deleteAtEnd(String volumeId) {
        if (!volumeId.isEmpty()) {
            atEnd("volume " + volumeId, () -> controller().deleteVolume(deleteRequest(volumeId)));
        }
    }

    public DeleteVolumeRequest deleteRequest(String volumeId) {
        return DeleteVolumeRequest.newBuilder()
                .setVolumeId(volumeId)
                .putAllSecrets(secrets("DeleteVolume"))
                .build();
    }

    /**
     * Creates a volume with the size and capability of the settings. Returns the existing volume of the settings if the
     * plugin cannot create one.
     */
    public Volume volume(String what) {
        if (has(Need.CREATE_DELETE_VOLUME)) {
            return create(createRequest(what).build());
        }
        ConformanceSettings.ExistingVolume existing = settings.existing();
        applies(existing != null, "needs " + Need.A_VOLUME.text());
        return Volume.newBuilder()
                .setVolumeId(existing == null ? "" : existing.id())
                .putAllVolumeContext(existing == null ? Map.of() : existing.context())
                .build();
    }

    public CreateSnapshotRequest.Builder snapshotRequest(Volume source) {
        return CreateSnapshotRequest.newBuilder()
                .setName(name("snapshot"))
                .setSourceVolumeId(source.getVolumeId())
                .putAllParameters(settings.snapshotParameters())
                .putAllSecrets(secrets("CreateSnapshot"));
    }

    /** Creates a snapshot. The end of the check deletes it. */
    public Snapshot snapshot(CreateSnapshotRequest request) {
        Snapshot snapshot = controller().createSnapshot(request).getSnapshot();
        deleteSnapshotAtEnd(snapshot.getSnapshotId());
        return snapshot;
    }

    public Snapshot snapshot(Volume source) {
        return snapshot(snapshotRequest(source).build());
    }

    /** Creates a snapshot and repeats the call until the snapshot is ready (R77). */
    public Snapshot readySnapshot(CreateSnapshotRequest request) {
        Snapshot snapshot = snapshot(request);
        long deadline = time.nanos() + settings.timeout().toNanos();
        while (!snapshot.getReadyToUse()) {
            must(
                    Rule.R77,
                    time.nanos() < deadline,
                    "the snapshot is not ready after " + settings.timeout().toSeconds() + " s");
            calls().waitMillis(100);
            snapshot = controller().createSnapshot(request).getSnapshot();
        }
        return snapshot;
    }

    public void deleteSnapshotAtEnd(String snapshotId) {
        if (!snapshotId.isEmpty()) {
            atEnd("snapshot " + snapshotId, () -> controller().deleteSnapshot(deleteSnapshotRequest(snapshotId)));
        }
    }

    public DeleteSnapshotRequest deleteSnapshotRequest(String snapshotId) {
        return DeleteSnapshotRequest.newBuilder()
                .setSnapshotId(snapshotId)
                .putAllSecrets(secrets("DeleteSnapshot"))
                .build();
    }

    /**
     * Returns the calls that publish a volume on this node. The calls that were made are undone at the end of the
     * check.
     */
    public PublishSteps place(Volume volume, VolumeCapability capability) {
        PublishSteps placement = new PublishSteps(this, volume, capability, directory.resolve("v" + ++names));
        cleanups.push(new Cleanup("volume " + volume.getVolumeId() + " on the node", placement::undo));
        return placement;
    }

    public PublishSteps place(Volume volume) {
        return place(volume, capability());
    }

    /** Attaches, stages and publishes a volume. */
    public PublishSteps bringUp(Volume volume, VolumeCapability capability) {
        PublishSteps placement = place(volume, capability);
        placement.up();
        placement.publish("target");
        return placement;
    }

    public PublishSteps bringUp(Volume volume) {
        return bringUp(volume, capability());
    }

    /** Returns an object that reads and writes data at target paths, for mount or block volumes as in the settings. */
    public TargetData data() {
        return new TargetData(settings.volume().block());
    }

    /** Ends the check without a result unless this process can use the volume at a target. */
    public void requireUsable(Path target) throws IOException {
        applies(
                data().usable(target),
                "this process sees no "
                        + (settings.volume().block() ? "block device" : "mount") + " at the target: the plugin"
                        + " only simulates, or has a mount namespace of its own; name a directory that both see (R9)");
    }

    /** Returns an object that loses answers on purpose. */
    public LostAnswers lostAnswers() {
        return new LostAnswers(this, time);
    }

    // Clean-up at the end of the check.

    /** Makes a call at the end of the check. If the call fails, the report has a warning. */
    public void atEnd(String what, Supplier<? extends Message> call) {
        cleanups.push(new Cleanup(what, () -> calls().eventually(call)));
    }

    /**
     * Removes the objects that the check created, the newest first, and reports those that could not be removed.
     *
     * @return whether the plugin answered; otherwise the remaining objects are still there
     */
    boolean cleanUp() {
        Cleanup next;
        while ((next = cleanups.peek()) != null) {
            try {
                next.action().run();
            } catch (StatusRuntimeException e) {
                if (NoAnswer.is(e)) {
                    return false;
                }
                if (e.getStatus().getCode() != Code.NOT_FOUND) {
                    notCleaned(next.what(), e);
                }
            }
            cleanups.poll();
        }
        removeDirectory();
        return true;
    }

    /** Reports the objects that the check created and that the plugin, which is gone, cannot remove any more. */
    void leave() {
        List<String> left = cleanups.stream().map(Cleanup::what).toList();
        cleanups.clear();
        should(Rule.R12, left.isEmpty(), "left behind: " + String.join(", ", left));
        removeDirectory();
    }

    void notCleaned(String what, StatusRuntimeException failure) {
        String rpc = calls().lastRpc();
        should(
                ruleOf(rpc),
                false,
                "clean-up of " + what + " failed: " + rpc + " answered "
                        + failure.getStatus().getCode() + "; remove it by hand");
    }

    private void removeDirectory() {
        List<Path> mounts = List.of();
        @Nullable String left;
        try {
            mounts = WorkFiles.unmountAll(directory);
            left = WorkFiles.remove(directory);
        } catch (IOException e) {
            left = e.toString();
        }
        should(
                Rule.R91,
                mounts.isEmpty(),
                "the plugin left " + (mounts.size() == 1 ? "a mount" : mounts.size() + " mounts") + " at "
                        + Set.copyOf(mounts).stream()
                                .map(Path::toString)
                                .sorted()
                                .collect(Collectors.joining(", "))
                        + ", which the kit has unmounted");
        should(Rule.R91, left == null, "clean-up of " + directory + " failed: " + left);
    }

    /** Returns the codes that mean that an earlier call may still be pending. */
    static Set<Code> pendingCodes() {
        return Set.of(Code.ABORTED, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED);
    }
}
