package io.csi4j.testkit.conformance;

import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.conformance.internal.ConformanceSettings;
import io.csi4j.testkit.conformance.internal.SecretsByRpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds {@link CsiConformance}. Not thread-safe. */
public final class CsiConformanceBuilder {
    private final String endpoint;
    private @Nullable String controllerEndpoint;
    private Path workDir = Path.of(System.getProperty("java.io.tmpdir"));
    private boolean block;
    private String accessMode = "SINGLE_NODE_WRITER";
    private String fsType = "";
    private List<String> mountFlags = List.of();
    private long size = 64L << 20;
    private Map<String, String> parameters = Map.of();
    private Map<String, String> snapshotParameters = Map.of();
    private Map<String, String> mutableParameters = Map.of();
    private Map<String, String> infeasibleParameters = Map.of();
    private Map<String, String> secrets = Map.of();
    private final Map<String, Map<String, String>> secretsByRpc = new HashMap<>();
    private final Set<String> secretsRequired = new TreeSet<>();
    private ConformanceSettings.@Nullable ExistingVolume existing;
    private String otherNode = "";
    private Duration timeout = Duration.ofMinutes(1);
    private boolean expectMounts;
    private @Nullable Runnable restart;
    private @Nullable Supplier<List<String>> output;
    private final List<String> only = new ArrayList<>();
    private final List<String> skip = new ArrayList<>();

    CsiConformanceBuilder(String endpoint) {
        this.endpoint = endpoint;
    }

    /** Sets the address of the controller service. Default: the endpoint of the node service. */
    public CsiConformanceBuilder controllerEndpoint(String address) {
        controllerEndpoint = address;
        return this;
    }

    /**
     * Sets the directory below which all staging and target paths are; no file outside this directory is changed. The plugin must see it under the
     * same path. Default: the temporary directory.
     */
    public CsiConformanceBuilder workDir(Path directory) {
        workDir = directory.toAbsolutePath().normalize();
        return this;
    }

    /** Sets whether the checks use block volumes. Default: volumes with a file system. */
    public CsiConformanceBuilder block(boolean on) {
        block = on;
        return this;
    }

    /**
     * Sets the access mode of most volumes. Default: {@code SINGLE_NODE_WRITER}.
     *
     * @param mode the name of one of CSI's seven modes
     */
    public CsiConformanceBuilder accessMode(String mode) {
        accessMode = mode;
        return this;
    }

    /** Sets the file system of mount volumes. Default: the plugin chooses the file system. */
    public CsiConformanceBuilder fsType(String type) {
        fsType = type;
        return this;
    }

    /** Sets the mount flags of mount volumes. Default: none. */
    public CsiConformanceBuilder mountFlags(List<String> flags) {
        mountFlags = List.copyOf(flags);
        return this;
    }

    /**
     * Sets the size of volumes. Default: 64 MiB.
     *
     * @param bytes the minimum size in requests to create a volume; a check of expansion grows a volume by the same
     *     number of bytes
     */
    public CsiConformanceBuilder size(long bytes) {
        size = bytes;
        return this;
    }

    /** Sets the parameters of CreateVolume. Default: none. */
    public CsiConformanceBuilder parameters(Map<String, String> map) {
        parameters = Map.copyOf(map);
        return this;
    }

    /** Sets the parameters of CreateSnapshot. Default: none. */
    public CsiConformanceBuilder snapshotParameters(Map<String, String> map) {
        snapshotParameters = Map.copyOf(map);
        return this;
    }

    /** Sets mutable parameters that the plugin can modify. Default: none, which skips most checks of ControllerModifyVolume. */
    public CsiConformanceBuilder mutableParameters(Map<String, String> map) {
        mutableParameters = Map.copyOf(map);
        return this;
    }

    /**
     * Sets parameters that the plugin cannot modify, so that it has to refuse them. Default: none; then the checks use a parameter name of their own,
     * and a plugin that accepts each name leaves them undecided.
     */
    public CsiConformanceBuilder infeasibleParameters(Map<String, String> map) {
        infeasibleParameters = Map.copyOf(map);
        return this;
    }

    /**
     * Sets the secrets for all RPCs that take secrets, except the RPCs whose secrets {@link #secrets(String, Map)}
     * sets. Default: none.
     */
    public CsiConformanceBuilder secrets(Map<String, String> map) {
        secrets = Map.copyOf(map);
        return this;
    }

    /**
     * Sets the secrets of one RPC.
     *
     * @param rpc the name of the RPC, like {@code CreateVolume}
     */
    public CsiConformanceBuilder secrets(String rpc, Map<String, String> map) {
        secretsByRpc.put(rpc, Map.copyOf(map));
        return this;
    }

    /**
     * Declares RPCs that the plugin must refuse without secrets. Default: none.
     *
     * @param rpcs names of RPCs, like {@code CreateVolume}
     */
    public CsiConformanceBuilder secretsRequired(Collection<String> rpcs) {
        secretsRequired.addAll(rpcs);
        return this;
    }

    /**
     * Names a volume that exists already, for a plugin that cannot create volumes. If it is a block volume, its data is overwritten.
     *
     * @param context its volume context
     */
    public CsiConformanceBuilder existingVolume(String volumeId, Map<String, String> context) {
        existing = new ConformanceSettings.ExistingVolume(volumeId, Map.copyOf(context));
        return this;
    }

    /** Names a second node that the plugin knows. Default: none, so that the checks with two nodes are skipped. */
    public CsiConformanceBuilder otherNode(String nodeId) {
        otherNode = nodeId;
        return this;
    }

    /** Sets the time limit of one call. Default: 1 minute. */
    public CsiConformanceBuilder timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    /**
     * Sets whether the plugin has to mount what it publishes, in a place where this process sees it: then a target
     * without a mount, and for a block volume without a device, is a failure. Default: no, because some plugins publish
     * without a mount, and the mounts of a plugin in a container may not be visible here.
     */
    public CsiConformanceBuilder expectMounts(boolean on) {
        expectMounts = on;
        return this;
    }

    /**
     * Sets the way to kill and start the plugin. Default: none, so that the checks of restarts are skipped.
     *
     * @param command kills the plugin without a warning and starts it again; it may return before the plugin serves
     */
    public CsiConformanceBuilder restart(Runnable command) {
        restart = command;
        return this;
    }

    /**
     * Sets the way to read the output of the plugin. Default: none. The report shows the last lines of each failed check, without secrets.
     *
     * @param lines returns the lines that the plugin has printed since the last call
     */
    public CsiConformanceBuilder output(Supplier<List<String>> lines) {
        output = lines;
        return this;
    }

    /** Runs only these checks: ids, beginnings of ids, or rules like {@code R89}. Default: all. */
    public CsiConformanceBuilder only(Collection<String> selections) {
        only.addAll(selections);
        return this;
    }

    /** Leaves out these checks: ids, beginnings of ids, or rules. Default: none. */
    public CsiConformanceBuilder skip(Collection<String> selections) {
        skip.addAll(selections);
        return this;
    }

    /**
     * Builds the conformance kit; the plugin is not called yet.
     *
     * @throws IllegalArgumentException if a setting is wrong; the message names it
     */
    public CsiConformance build() {
        Mode mode = mode(accessMode);
        if (size <= 0) {
            throw new IllegalArgumentException("size is " + size + "; it must be greater than zero");
        }
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("timeout is " + timeout + "; it must be greater than zero");
        }
        String controller = controllerEndpoint == null ? endpoint : controllerEndpoint;
        ConformanceSettings.requireEndpoint(endpoint);
        ConformanceSettings.requireEndpoint(controller);
        return new CsiConformance(new ConformanceSettings(
                endpoint,
                controller,
                workDir,
                new ConformanceSettings.VolumeKind(block, mode, fsType, mountFlags, size),
                parameters,
                snapshotParameters,
                mutableParameters,
                infeasibleParameters,
                new SecretsByRpc(secrets, secretsByRpc),
                Set.copyOf(secretsRequired),
                existing,
                otherNode,
                timeout,
                expectMounts,
                restart,
                output,
                List.copyOf(only),
                List.copyOf(skip)));
    }

    private static Mode mode(String name) {
        for (Mode mode : Mode.values()) {
            if (mode != Mode.UNKNOWN && mode != Mode.UNRECOGNIZED && mode.name().equals(name)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(
                "access mode '" + name + "' is not one of CSI's; use for example SINGLE_NODE_WRITER");
    }
}
