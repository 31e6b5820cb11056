package io.csi4j.node.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.MissingSecrets;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountSecrets;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.internal.ledger.DurableDirectories;
import io.csi4j.node.internal.ledger.GroupDelivery;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the calls of one volume. Used in the tasks of the worker only. */
public final class NodeCalls {
    /** Longer than a mount that answers needs to show its root directory. */
    private static final Duration CHECK_LIMIT = Duration.ofSeconds(30);

    private final NodePorts ports;
    private final Timeouts timeouts;
    private final Function<Supplier<CompletableFuture<?>>, CompletableFuture<?>> whenOpen;
    private final Supplier<VolumeEntry> current;
    /** The secrets that were passed with requests. The map is thread-safe, because a call may end on any thread. */
    private final Map<UseId, MountSecrets> given = new ConcurrentHashMap<>();

    /** The result of the last change of ownership, for operators. */
    private volatile String lastChange = "";
    /** The change of ownership that has not ended. */
    private volatile @Nullable OwnershipWatch changing;

    /**
     * Creates an object that makes the calls of one volume.
     *
     * @param whenOpen runs a call after its secrets have arrived, unless the worker has been closed
     * @param current returns the present record
     */
    NodeCalls(
            NodePorts ports,
            Function<Supplier<CompletableFuture<?>>, CompletableFuture<?>> whenOpen,
            Supplier<VolumeEntry> current) {
        this.ports = ports;
        this.current = current;
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
        this.whenOpen = whenOpen;
    }

    /** Sets the secrets of a use. If they are empty, the secrets of an earlier request or of the secrets provider are used. */
    void secrets(UseId use, MountSecrets secrets) {
        if (!secrets.equals(MountSecrets.none())) {
            given.put(use, secrets);
        }
    }

    /** Drops the secrets of a use that no longer needs them. */
    void forgetSecrets(UseId use) {
        given.remove(use);
    }

    /**
     * Makes the call for an action whose intent is stored in the ledger.
     *
     * @param plugin the plugin; not needed for an action without the plugin
     * @return a future that completes when the call has ended. It fails without a call if a directory cannot be created
     *     or the plugin does not support the request
     */
    CompletableFuture<?> make(
            VolumeEntry entry, MountAction action, Optional<NodePlugin> plugin, Optional<MountPoints> table) {
        try {
            if (action instanceof MountAction.ChangeOwnership change) {
                return changeOwnership(entry, change);
            }
            if (action instanceof MountAction.CheckOwnership check) {
                return checkOwnership(entry, check);
            }
            return action instanceof MountAction.DirectUnmount
                    ? ports.host()
                            .call(
                                    "DirectUnmount.unmount",
                                    () -> ports.directUnmount()
                                            .unmount(ports.paths().of(entry, action)))
                    : ports.host().required("NodeService", send(entry, action, plugin.orElseThrow(), table));
        } catch (IOException | RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<?> changeOwnership(VolumeEntry entry, MountAction.ChangeOwnership action) {
        UseEntry use = entry.use(action.use()).orElseThrow();
        MountOptions options = use.terms().mountOptions();
        FileOwnership wanted = new FileOwnership(
                options.groupNumber().orElseThrow(),
                options.ownership().policy(),
                options.ownership().rootOwner(),
                use.terms().ownershipSettings().excludes());
        OwnershipProgress progress = new OwnershipProgress();
        OwnershipWatch watch = new OwnershipWatch(
                use.id(),
                progress,
                ports.timer(),
                () -> ports.reporter()
                        .report(
                                Kind.OWNERSHIP_STALLED,
                                entry.key(),
                                use.allocationId(),
                                "Volume " + entry.key() + " gets the group of its mount for allocation "
                                        + use.allocationId()
                                        + ", and no file was reached for "
                                        + Durations.text(OwnershipWatch.STALLED_AFTER) + " after "
                                        + OwnershipWatch.text(progress) + "; "
                                        + WorkerView.STALLED_REMEDY));
        changing = watch;
        return ports.host()
                .call(
                        "VolumeOwnership.change",
                        () -> ports.ownership().change(ports.paths().of(entry, action), wanted, progress))
                .whenComplete((nothing, error) -> {
                    lastChange = OwnershipWatch.text(progress);
                    changing = null;
                    watch.end();
                });
    }

    /** Looks at the root directory. Something that is missing there fails a strict request, and is a warning otherwise. */
    private CompletableFuture<Optional<String>> checkOwnership(VolumeEntry entry, MountAction.CheckOwnership action) {
        MountTerms terms = entry.use(action.use()).orElseThrow().terms();
        MountOptions options = terms.mountOptions();
        CompletableFuture<Optional<String>> checked = ports.host()
                .call(
                        "VolumeOwnership.checkRoot",
                        () -> ports.ownership()
                                .checkRoot(ports.paths().of(entry, action), options.groupNumber(), terms.readonly()));
        return timeouts.limit(checked, CHECK_LIMIT, () -> {
                    ports.host().givenUp(checked, CHECK_LIMIT);
                    return new CheckEndedException();
                })
                .exceptionallyCompose(error -> Futures.unwrap(error) instanceof CheckEndedException
                        ? CompletableFuture.completedFuture(
                                Optional.of("it did not answer within " + Durations.text(CHECK_LIMIT)))
                        : CompletableFuture.failedFuture(error))
                .thenApply(missing -> ports.host().required("VolumeOwnership.checkRoot", missing))
                .thenApply(missing -> {
                    if (missing.isPresent() && options.ownership().strict()) {
                        throw new NodeVolumeException(
                                NodeVolumeException.Reason.OWNERSHIP_NOT_SEEN,
                                "The plugin of volume " + entry.key()
                                        + " has VOLUME_MOUNT_GROUP and has not set the group of"
                                        + " the root directory: " + missing.get()
                                        + "; the request is strict, so the mount is"
                                        + " undone. Mend the plugin, or leave strict out");
                    }
                    return missing;
                });
    }

    /** Ends the wait for a look at a mount that does not answer. */
    private static final class CheckEndedException extends CsiException {
        private static final long serialVersionUID = 1L;

        CheckEndedException() {
            super("the look did not end");
        }
    }

    /** Cancels the change of ownership for a use that ends. */
    void cancelWithdrawn(VolumeEntry entry) {
        OwnershipWatch running = changing;
        if (running != null
                && entry.use(running.use()).filter(use -> use.phase().living()).isEmpty()) {
            running.progress().cancel();
        }
    }

    /** Cancels the change of ownership, because the node stops. */
    void close() {
        OwnershipWatch running = changing;
        if (running != null) {
            running.progress().cancel();
            running.end();
        }
    }

    /** Returns the change of ownership that is running; null if there is none. */
    @Nullable OwnershipWatch ownership() {
        return changing;
    }

    /** Returns the result of the last change of ownership that has ended. */
    String lastChange() {
        return lastChange;
    }

    private CompletableFuture<?> send(
            VolumeEntry entry, MountAction action, NodePlugin plugin, Optional<MountPoints> table) throws IOException {
        if (action instanceof MountAction.Stage stage) {
            return stage(entry, stage.terms(), plugin, table.orElseThrow(NodeCalls::noTable));
        }
        if (action instanceof MountAction.Publish publish) {
            return publish(entry, entry.use(publish.use()).orElseThrow(), plugin, false);
        }
        if (action instanceof MountAction.Republish republish) {
            return publish(entry, entry.use(republish.use()).orElseThrow(), plugin, true);
        }
        String path = ports.paths().pathFor(plugin, ports.paths().of(entry, action));
        return action instanceof MountAction.Unstage || action instanceof MountAction.UnstageOrphan
                ? plugin.service()
                        .nodeUnstageVolume(NodeUnstageVolumeRequest.builder(externalId(entry), path)
                                .build())
                : plugin.service()
                        .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(externalId(entry), path)
                                .build());
    }

    private static ExternalVolumeId externalId(VolumeEntry entry) {
        return Objects.requireNonNull(entry.id(), "a call for a volume without its id")
                .externalVolumeId();
    }

    /** Starts a call. If starting it throws, the exception becomes the failure of the call, so that the worker continues. */
    static <T extends @Nullable Object> CompletableFuture<T> start(Callable<CompletableFuture<T>> call) {
        try {
            return Objects.requireNonNull(call.call(), "the NodeService returned null");
        } catch (Exception | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static IOException noTable() {
        return new IOException("the mount table cannot be read, so it is not known what is at the staging path; nothing"
                + " was sent");
    }

    /** Stages the volume. The request is built from the record, so that a repeated call has the same fields (R29). */
    private CompletableFuture<?> stage(VolumeEntry entry, MountTerms terms, NodePlugin plugin, MountPoints table)
            throws IOException {
        // A use that may not have its group is refused when it is published, so it does not fail the others.
        boolean fixed = entry.living().stream()
                .allMatch(living -> living.terms().ownershipSettings().fixed());
        requireSupport(entry, terms, fixed, plugin);
        MountTerms called = entry.called(terms);
        Path staging = ports.paths().staging(entry.key(), terms);
        // Creates the directory only if it is no mount point, because an access to a hung mount would block.
        if (table.within(staging).isEmpty()) {
            DurableDirectories.makeStrictly(staging);
        }
        UseId use = entry.living().stream()
                .filter(living -> living.terms().stagedAs(terms))
                .findFirst()
                .orElseThrow()
                .id();
        NodeStageVolumeRequest.Builder request = NodeStageVolumeRequest.builder(
                        externalId(entry), ports.paths().pathFor(plugin, staging), called.stagingCapability())
                .publishContext(called.publishContext())
                .volumeContext(called.volumeContext());
        return withSecrets(
                entry,
                use,
                secrets -> plugin.service()
                        .nodeStageVolume(request.secrets(secrets.stage()).build()));
    }

    /**
     * Publishes the volume. The future has the tokens that the plugin got, if its profile asks for some.
     *
     * @param again whether the volume is mounted already; then nothing is sent once the mount has to end
     */
    private CompletableFuture<?> publish(VolumeEntry entry, UseEntry use, NodePlugin plugin, boolean again)
            throws IOException {
        MountTerms terms = use.terms();
        requireSupport(entry, terms, terms.ownershipSettings().fixed(), plugin);
        if (!again) {
            // Creates only the parent directory, because the plugin creates the target path itself (R88).
            DurableDirectories.makeStrictly(ports.paths().targets(entry.key()));
        }
        Path target = ports.paths().target(entry.key(), use.id());
        NodePublishVolumeRequest.Builder request = NodePublishVolumeRequest.builder(
                        externalId(entry),
                        ports.paths().pathFor(plugin, target),
                        entry.called(terms).targetCapability())
                .publishContext(terms.publishContext())
                .volumeContext(terms.targetContext())
                .readonly(terms.readonly());
        StagingEntry staging = entry.staging();
        if (staging != null) {
            Path staged = ports.paths().staging(entry.key(), staging.terms());
            request.stagingTargetPath(ports.paths().pathFor(plugin, staged));
        }
        if (!use.renewal().options().hasTokens()) {
            return withSecrets(
                    entry,
                    use.id(),
                    secrets -> send(plugin, use, again, PublishTokens.NONE, request, terms, secrets.publish()));
        }
        return PublishTokens.of(ports, timeouts, Objects.requireNonNull(entry.id(), "id"), use)
                .thenCompose(tokens -> whenOpen.apply(() -> withSecrets(
                                entry,
                                use.id(),
                                secrets -> send(plugin, use, again, tokens, request, terms, secrets.publish())))
                        .thenApply(done -> tokens));
    }

    private CompletableFuture<?> send(
            NodePlugin plugin,
            UseEntry use,
            boolean again,
            PublishTokens tokens,
            NodePublishVolumeRequest.Builder request,
            MountTerms terms,
            Secrets secrets) {
        boolean stays = current.get()
                .use(use.id())
                .filter(now -> now.phase() == UsePhase.PUBLISHED)
                .isPresent();
        if (again && !stays) {
            return CompletableFuture.failedFuture(new NodeVolumeException(
                    NodeVolumeException.Reason.WITHDRAWN, "the mount has to end meanwhile; nothing was sent"));
        }
        return plugin.service().nodePublishVolume(tokens.in(request, terms.targetContext(), secrets));
    }

    /** Sends the call at once if its secrets are known. Otherwise requests them from the provider, and sends the call in another task. */
    private CompletableFuture<?> withSecrets(
            VolumeEntry entry, UseId use, Function<MountSecrets, CompletableFuture<?>> send) {
        MountSecrets known = given.get(use);
        if (known != null) {
            return send.apply(known).whenComplete((answer, error) -> {
                if (error != null && NodeFailures.unauthenticated(Futures.unwrap(error))) {
                    // The plugin refused the secrets, so they are dropped, and the next attempt requests newer ones
                    // (R33).
                    given.remove(use, known);
                }
            });
        }
        Function<MountSecrets, CompletableFuture<?>> sendIfWhole = secrets -> mayBeSent(entry, use, secrets)
                ? send.apply(secrets)
                : CompletableFuture.failedFuture(noSecrets("it has none, or not all; the mount had some when it was"
                        + " asked for, and they are gone with the process, or were refused"));
        CompletableFuture<MountSecrets> asked = asked(Objects.requireNonNull(entry.id(), "id"), use.allocationId());
        return asked.isDone() && !asked.isCompletedExceptionally()
                ? sendIfWhole.apply(asked.join())
                : asked.thenCompose(secrets -> whenOpen.apply(() -> sendIfWhole.apply(secrets)));
    }

    private boolean mayBeSent(VolumeEntry entry, UseId use, MountSecrets secrets) {
        boolean missing = entry.use(use)
                .filter(found -> found.secrets().missingIn(secrets))
                .isPresent();
        if (!missing) {
            return true;
        }
        boolean may = ports.options().missingSecrets() == MissingSecrets.TRY;
        if (may) {
            ports.reporter()
                    .report(
                            Kind.SECRETS_MISSING,
                            entry.key(),
                            use.allocationId(),
                            "Volume " + entry.key() + " was mounted with secrets for allocation " + use.allocationId()
                                    + ", and the MountSecretsProvider has none, or not all; it is tried without");
        }
        return may;
    }

    private CompletableFuture<MountSecrets> asked(NodeVolumeId id, AllocationId allocation) {
        // Keeps only the class of an exception, whose message may contain a secret.
        String name = "MountSecretsProvider.secrets";
        CompletableFuture<MountSecrets> called =
                ports.host().call(name, () -> ports.secrets().secrets(id, allocation));
        CompletableFuture<MountSecrets> answer = called.thenApply(
                        secrets -> ports.host().required(name, secrets))
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(noSecrets(
                        "it failed with " + Futures.unwrap(error).getClass().getName())));
        Duration limit = ports.options().longestRetry();
        return timeouts.limit(answer, limit, () -> {
            ports.host().givenUp(called, limit);
            return noSecrets("they were not there within " + Durations.text(limit));
        });
    }

    /** Returns the failure of a call that was not sent because its secrets are missing. */
    private static IOException noSecrets(String reason) {
        return new IOException("nothing was sent, since the secrets could not be had from the MountSecretsProvider: "
                + reason + "; mend it");
    }

    /**
     * Fails if a call that mounts the volume cannot meet the request.
     *
     * @param fixed whether the node may not change the ownership of files for it
     */
    private static void requireSupport(VolumeEntry entry, MountTerms terms, boolean fixed, NodePlugin plugin) {
        Optional<String> problem = unsupported(plugin, entry.called(terms));
        if (problem.isEmpty()) {
            problem = contradicted(entry, terms);
        }
        if (problem.isEmpty() && entry.groupDelivery() == GroupDelivery.NODE) {
            boolean grouped = !terms.mountOptions().volumeMountGroup().isEmpty();
            problem = fixed && grouped ? fixed(entry) : unchangeable(entry, terms);
        } else if (problem.isEmpty()) {
            problem = onlyByNode(terms.mountOptions());
        }
        if (problem.isPresent()) {
            throw new NodeVolumeException(
                    NodeVolumeException.Reason.UNSUPPORTED,
                    "Volume " + entry.key() + " cannot be mounted as asked, nothing was sent: " + problem.get());
        }
    }

    /** Returns the reason why the plugin cannot get the security label; empty if it can, or does not get it. */
    private static Optional<String> contradicted(VolumeEntry entry, MountTerms terms) {
        boolean contradicted = entry.mountedLabel(terms).isPresent()
                && (terms.mountOptions().labelIsContradicted()
                        || terms.mountOptions().withFlags(terms.targetFlags()).labelIsContradicted());
        return contradicted
                ? Optional.of("it has a security label, and its mount flags set a context, too; leave one of them out")
                : Optional.empty();
    }

    private static Optional<String> fixed(VolumeEntry entry) {
        return Optional.of("the plugin has no VOLUME_MOUNT_GROUP, and the profile of plugin "
                + Objects.requireNonNull(entry.id(), "id").pluginId()
                + " had ownershipFixed when the volume was granted, so this node does not give the files to the group;"
                + " leave volumeMountGroup out, or put the profile without ownershipFixed and claim again");
    }

    /** Returns the reason why the node cannot give the files to the group; empty if it can. */
    private static Optional<String> unchangeable(VolumeEntry entry, MountTerms terms) {
        String needs = "the plugin has no VOLUME_MOUNT_GROUP, so this node has to give the files to the group, and ";
        if (terms.mountOptions().groupNumber().isEmpty()) {
            return Optional.of(
                    needs + "the volumeMountGroup is not a number from 1 to 4294967294; give the group's id");
        }
        if (terms.mountOptions().ownership().policy() == GroupChangePolicy.ROOT_IF_EMPTY) {
            return Optional.empty();
        }
        boolean writes = entry.living().stream().anyMatch(use -> !use.terms().readonly());
        return writes
                ? Optional.empty()
                : Optional.of(needs + "a read-only mount cannot be changed; leave volumeMountGroup out");
    }

    /** Returns the reason why ownership options cannot be met without this node; empty if they can. */
    private static Optional<String> onlyByNode(MountOptions options) {
        OwnershipOptions ownership = options.ownership();
        if (options.volumeMountGroup().isEmpty()) {
            return ownership.equals(OwnershipOptions.defaults())
                    ? Optional.empty()
                    : Optional.of(
                            "its ownership options belong to a volumeMountGroup, and there is none; name the group");
        }
        return ownership.rootOwner().isPresent()
                        || ownership.policy() == GroupChangePolicy.ROOT_ONLY
                        || ownership.policy() == GroupChangePolicy.ROOT_IF_EMPTY
                ? Optional.of("the plugin has VOLUME_MOUNT_GROUP, so it sets the group of all files itself, and no call"
                        + " has a field for ROOT_ONLY, ROOT_IF_EMPTY or a root owner; leave them out")
                : Optional.empty();
    }

    /** Returns the reason why a plugin does not support these parameters; empty: it supports them (R42). */
    private static Optional<String> unsupported(NodePlugin plugin, MountTerms terms) {
        VolumeAccessMode mode = terms.capability().accessMode();
        boolean manyWriters =
                mode == VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER || mode == VolumeAccessMode.SINGLE_NODE_MULTI_WRITER;
        if (manyWriters && !plugin.capabilities().has(NodeCapability.SINGLE_NODE_MULTI_WRITER)) {
            return Optional.of("the access mode " + mode
                    + " needs SINGLE_NODE_MULTI_WRITER, which the plugin's node service does not offer; use"
                    + " SINGLE_NODE_WRITER");
        }
        if (!terms.mountOptions().volumeMountGroup().isEmpty()
                && !plugin.capabilities().has(NodeCapability.VOLUME_MOUNT_GROUP)) {
            return Optional.of("volumeMountGroup needs VOLUME_MOUNT_GROUP, which the plugin's node service does not"
                    + " offer; leave it out");
        }
        return Optional.empty();
    }
}
