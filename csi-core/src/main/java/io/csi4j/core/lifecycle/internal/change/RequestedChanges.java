package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.ControllerRouting;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.SourceUse;
import io.csi4j.core.lifecycle.internal.snapshot.ContentSources;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests to create, delete, expand and modify volumes. The intent is stored first; the volume's worker makes the
 * calls, and the caller waits for the row.
 */
public final class RequestedChanges {
    private final Operations operations;
    private final RowWaits waits;
    private final ContentSources sources;
    private final Consumer<VolumeKey> tryNow;

    /**
     * Creates an object without requests.
     *
     * @param sources checks the permissions for the content of volumes
     * @param tryNow makes the leader plan the next steps for a volume at once, without waiting for the end of a backoff;
     *     it has no effect on a server that does not lead
     */
    public RequestedChanges(Operations operations, RowWaits waits, ContentSources sources, Consumer<VolumeKey> tryNow) {
        this.operations = operations;
        this.waits = waits;
        this.sources = sources;
        this.tryNow = tryNow;
    }

    /** Requests a change, and waits until it is fulfilled or refused, or for the operation timeout. */
    public <R> CompletableFuture<R> request(Caller caller, VolumeKey key, ChangeRequest<R> request) {
        allowChanges(caller, key);
        Optional<Volume> asked = request.check(operations.state());
        RowWait<R> wait = waits.begin(caller, key, request);
        Duration limit = operations.ports().options().operationTimeout();
        wait.limit(limit, () -> {
            throw unfinished(request.noun() + " of volume " + key, key, limit, wait);
        });
        var unused = stored(key, request, asked).whenComplete((written, failure) -> {
            if (failure != null) {
                wait.fail(Futures.unwrap(failure));
            } else {
                await(key, request, asked.orElseGet(() -> Operations.stored(written)), wait);
            }
        });
        return wait.result();
    }

    private CompletableFuture<Outcome.Accepted> stored(
            VolumeKey key, ChangeRequest<?> request, Optional<Volume> asked) {
        if (!request.repeatable()) {
            return operations.submit(request.intent(operations.state(), asked, operations.now()));
        }
        return operations
                .retryLoop()
                .untilDone(
                        "intent to " + request.verb() + " volume " + key,
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations.submitUnlessChanged(
                                request.intent(operations.state(), asked, operations.now())));
    }

    private <R> void await(VolumeKey key, ChangeRequest<R> request, Volume asked, RowWait<R> wait) {
        if (!wait.await(state -> request.result(state, asked)).isDone()) {
            tryNow.accept(key);
        }
    }

    /**
     * Creates a volume. If the plugin made another volume than the requested one, the calls that delete it have the
     * secrets of the caller too (R67), for the operation timeout.
     */
    public CompletableFuture<Volume> create(Caller caller, VolumeKey key, VolumeSpec spec) {
        allowChanges(caller, key);
        return allowReach(caller, key, spec)
                .thenCompose(allowed -> createAllowed(caller, key, new CreateRequest(key, spec)));
    }

    /**
     * Creates a volume from a class, as {@link #create(Caller, VolumeKey, VolumeSpec)} does. The template reaches no other
     * object of the provider, and the class says which namespaces may use it.
     */
    public CompletableFuture<Volume> create(Caller caller, VolumeKey key, VolumeTemplate template) {
        allowChanges(caller, key);
        Optional<PluginId> plugin = operations
                .state()
                .volumeClass(template.className())
                .filter(row -> row.usableIn(key.namespace()))
                .map(VolumeClass::pluginId);
        boolean empty =
                template.contentSource().isEmpty() && template.sourceSnapshot().isEmpty();
        if (empty || plugin.isEmpty()) {
            // A class that the namespace cannot use is refused with the creation.
            return createAllowed(caller, key, new ClassCreateRequest(key, template));
        }
        return sources.allow(caller, key, plugin.get(), template.contentSource(), template.sourceSnapshot())
                .thenCompose(allowed -> createAllowed(caller, key, new ClassCreateRequest(key, template)));
    }

    /** Changes what becomes of a volume when its workload ends. */
    public CompletableFuture<Void> owner(
            Caller caller, VolumeKey key, BiFunction<Volume, Instant, OwnerCommand> change) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
        OwnerCommand command = change.apply(operations.volume(key), operations.now());
        return operations
                .retryLoop()
                .untilDone(
                        "change of the owner of volume " + key,
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations.submit(command))
                .thenApply(accepted -> null);
    }

    private void allowChanges(Caller caller, VolumeKey key) {
        operations
                .permissions()
                .allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
    }

    /**
     * Checks the permissions for the objects at the provider that a creation reaches by its fields: a declared name may
     * be that of a volume that exists there, and a content source is copied. A repeated request reaches nothing more
     * than the request that made the row.
     */
    private CompletableFuture<Void> allowReach(Caller caller, VolumeKey key, VolumeSpec spec) {
        Optional<VolumeSpec> known = operations.state().volume(key).map(Volume::spec);
        if (!spec.name().isEmpty()
                && known.filter(row -> row.name().equals(spec.name())).isEmpty()) {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        }
        return sources.allow(caller, key, spec.pluginId(), spec.contentSource(), spec.sourceSnapshot());
    }

    private CompletableFuture<Volume> createAllowed(Caller caller, VolumeKey key, ChangeRequest<Volume> creation) {
        RowWait<Boolean> deletion = waits.begin(caller, key, new DeleteRequest(key));
        return Futures.start(() -> request(caller, key, creation)).whenComplete((created, failure) -> {
            if (failure != null && Futures.unwrap(failure) instanceof WrongAnswerException) {
                var unused = deletion.limit(operations.ports().options().operationTimeout(), () -> false)
                        .await(state -> Optional.of(isDeleting(state, key)).filter(deleting -> !deleting));
            } else {
                deletion.stop();
            }
        });
    }

    private static boolean isDeleting(StateReader state, VolumeKey key) {
        return state.volume(key)
                .filter(volume -> volume.phase() == VolumePhase.DELETING)
                .isPresent();
    }

    /** Expands a volume by its controller, and then on the nodes of its claims. */
    public CompletableFuture<ExpandResult> expand(Caller caller, VolumeKey key, CapacityRange range) {
        NodeParts parts = new NodeParts(key, range);
        RowWait<List<ExpandResult.NodePart>> nodes = waits.begin(caller, key, parts);
        return Futures.start(() -> request(caller, key, new ExpandRequest(key, range)))
                .whenComplete((grown, failure) -> {
                    if (failure != null) {
                        nodes.stop();
                    }
                })
                .thenApply(grown -> new ExpandResult(grown, onNodes(nodes, parts, grown)));
    }

    private CompletableFuture<List<ExpandResult.NodePart>> onNodes(
            RowWait<List<ExpandResult.NodePart>> wait, NodeParts parts, Volume grown) {
        parts.selectClaims(grown);
        Duration limit = operations.ports().options().operationTimeout();
        String unfinished = "expansion of volume " + grown.key() + " on the node is not done after "
                + Durations.text(limit) + "; the intent is stored, and the leader continues it";
        return wait.limit(limit, () -> parts.unfinished(operations.state(), unfinished))
                .await(parts::in);
    }

    private UnfinishedException unfinished(String what, VolumeKey key, Duration limit, RowWait<?> wait) {
        Optional<Throwable> last =
                wait.lastFailure().or(() -> wait.watches() ? Optional.ofNullable(obstacle(key)) : Optional.empty());
        String cause = last.map(
                        failure -> (wait.failures() == 0 ? ": " : ", and " + wait.failures() + " calls failed: ")
                                + Failures.text(failure))
                .orElse("");
        String left = (wait.watches() ? RetryLoop.Stored.INTENT : RetryLoop.Stored.UNCERTAIN).text();
        return new UnfinishedException(
                what + " is not done after " + Durations.text(limit) + cause + "; " + left, last.orElse(null));
    }

    /** Returns the reason why no call for the volume can be made now; null if a call can be made. */
    private @Nullable CsiException obstacle(VolumeKey key) {
        StateReader state = operations.state();
        Volume volume = state.volume(key).orElse(null);
        if (volume == null) {
            return null;
        }
        if (volume.phase() == VolumePhase.DELETING) {
            Optional<CsiException> source = SourceUse.of(state, volume);
            if (source.isPresent()) {
                return source.get();
            }
        }
        try {
            ControllerRouting.candidates(state, operations.ports(), CallSubject.of(nextCall(volume), volume, 1));
            return null;
        } catch (NoControllerException none) {
            return none;
        }
    }

    /** Returns the controller call that the intent in the row of a volume needs next. */
    private static Rpc nextCall(Volume volume) {
        return switch (volume.phase()) {
            case CREATING -> Rpc.CREATE_VOLUME;
            case DELETING -> Rpc.DELETE_VOLUME;
            case AVAILABLE -> volume.toBeExpanded() ? Rpc.CONTROLLER_EXPAND_VOLUME : Rpc.CONTROLLER_MODIFY_VOLUME;
        };
    }
}
