package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.CallFailure;
import io.csi4j.core.lifecycle.CallQuery;
import io.csi4j.core.lifecycle.FailedCall;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.LastFailures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.lifecycle.internal.claim.StateViews;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Reports plugins and removes plugins that are not used. */
public final class PluginOperations {
    private final Operations operations;
    private final RowWaits waits;
    private final StateViews views;

    public PluginOperations(Operations operations, RowWaits waits, StateViews views) {
        this.operations = operations;
        this.waits = waits;
        this.views = views;
    }

    /** Returns a page of the plugins, in the order of their ids. */
    public ListPage<PluginView, PluginId> list(Caller caller, PluginQuery query) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_LIST));
        StateReader state = operations.state();
        NavigableSet<PluginId> ids = ids(state);
        return Paging.page(
                query.after().map(after -> ids.tailSet(after, false)).orElse(ids),
                query.limit(),
                id -> id,
                id -> Optional.of(view(state, id))
                        .filter(view -> known(view) && query.matches(view))
                        .map(PluginView::outline));
    }

    public Optional<PluginReport> get(Caller caller, PluginId pluginId) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        StateReader state = operations.state();
        PluginView view = view(state, pluginId);
        return known(view) ? Optional.of(report(caller, state, view)) : Optional.empty();
    }

    /** Returns whether a plugin is listed: it exists, or an instance of it is registered and has not answered yet. */
    private static boolean known(PluginView view) {
        return !view.isEmpty() || view.unprovedCount() > 0;
    }

    /** Returns the view of a plugin, in which only controllers that may be called count. */
    public PluginView view(StateReader state, PluginId pluginId) {
        return state.plugin(pluginId)
                .withControllers(key -> operations.ports().trust().trusts(state, key));
    }

    private PluginReport report(Caller caller, StateReader state, PluginView view) {
        PluginView redacted = views.redacted(caller, state, view);
        List<Allocation> allocations = new ArrayList<>();
        redacted.allocations().forEach(id -> state.allocation(id).ifPresent(allocations::add));
        return new PluginReport(redacted, allocations);
    }

    /** Returns a page of the calls that have not ended, oldest first. The query sees what the caller may see. */
    public ListPage<PluginCall, Long> calls(Caller caller, CallQuery query) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        return Paging.page(
                operations.calls().open(query.after().orElse(0L)).entrySet(),
                query.limit(),
                Map.Entry::getKey,
                call -> Optional.of(visible(caller, call.getValue())).filter(query::matches));
    }

    /** Returns the failed calls for volumes that the caller may read, in the order of the volumes. */
    public List<FailedCall> failedCalls(Caller caller) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        LastFailures failures = operations.calls().failures();
        StateReader state = operations.state();
        List<FailedCall> failed = new ArrayList<>();
        for (VolumeKey key : failures.volumes()) {
            Optional<Volume> volume =
                    operations.permissions().mayRead(caller, key) ? state.volume(key) : Optional.empty();
            volume.ifPresent(row -> failures.of(key)
                    .forEach(failure ->
                            failed.add(new FailedCall(row.pluginId(), key, failure, nextAttempt(row, failure)))));
        }
        return failed;
    }

    private static Optional<Instant> nextAttempt(Volume volume, CallFailure failure) {
        Set<Retry> retries = new HashSet<>();
        failure.nodeId()
                .ifPresentOrElse(
                        node -> {
                            volume.claims().on(node).forEach(claim -> {
                                retries.add(claim.retry());
                                volume.expansion()
                                        .flatMap(expansion -> expansion.of(claim))
                                        .ifPresent(step -> retries.add(step.retry()));
                            });
                            volume.attachments().on(node).ifPresent(attachment -> retries.add(attachment.retry()));
                        },
                        () -> {
                            retries.add(volume.retry());
                            volume.modification().ifPresent(change -> retries.add(change.retry()));
                            volume.verification().ifPresent(known -> retries.add(known.retry()));
                            volume.expansion().ifPresent(change -> retries.add(change.retry()));
                        });
        return retries.stream().map(Retry::nextRetry).flatMap(Optional::stream).min(Comparator.naturalOrder());
    }

    private PluginCall visible(Caller caller, PluginCall call) {
        return call.volume()
                        .filter(key -> !operations.permissions().mayRead(caller, key))
                        .isPresent()
                ? call.withoutVolume()
                : call;
    }

    /**
     * Waits until volumes of the plugin can be claimed, or until the time limit. Watches the plugin's instances
     * meanwhile.
     */
    public CompletableFuture<PluginReport> waitFor(Caller caller, PluginId pluginId, Duration limit) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        return waits.<PluginReport>begin(StateScope.plugin(pluginId))
                .limit(limit, () -> {
                    throw notReady(pluginId, limit);
                })
                .await(state -> Optional.of(view(state, pluginId))
                        .filter(PluginView::schedulable)
                        .map(view -> report(caller, state, view)));
    }

    private UnfinishedException notReady(PluginId pluginId, Duration limit) {
        PluginView view = view(operations.state(), pluginId);
        String undeclared = view.undeclaredControllerCount() == 0
                ? ""
                : "; " + view.undeclaredControllerCount() + " controllers are not declared and are not called: let the"
                        + " host declare their deployment, or trust their nodes (VolumeLifecycleBuilder.controllers)";
        String conflict = view.conflictCount() == 0
                ? ""
                : "; " + view.conflictCount() + " instances run another driver than "
                        + view.provider().orElse("") + " and are not called: say which is right (csi plugin"
                        + " set-provider, setProvider in Java)";
        String unproved = view.unprovedCount() == 0
                ? ""
                : "; " + view.unprovedCount() + " instances are registered and have not answered yet";
        String found = !known(view)
                ? "no node has reported it; see whether its task runs and its agent reaches a server, or correct the name"
                : view.healthyControllers() + " controller and " + view.healthyNodes()
                        + " node instances are healthy, the controller is " + view.controllerNeed()
                        + "; the plugin's view shows what each instance reports" + undeclared + conflict + unproved;
        return new UnfinishedException(
                "plugin " + pluginId + " is not ready after " + Durations.text(limit) + ": " + found, null);
    }

    public CompletableFuture<Void> delete(Caller caller, PluginId pluginId) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        return operations
                .submit(new PluginCommand.DeletePlugin(pluginId, operations.now()))
                .thenApply(deleted -> null);
    }

    /** Stores the operator's statement which driver the volumes of a plugin belong to. */
    public CompletableFuture<Void> setProvider(Caller caller, PluginId pluginId, String provider, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        if (operations.state().facts(pluginId).isEmpty()) {
            throw new CsiRequestException(
                    "the provider name of plugin " + pluginId,
                    List.of(new Problem(
                            "plugin", "is " + pluginId + ", of which no instance has reported", "correct the id")));
        }
        return operations
                .submit(new PluginCommand.SetProvider(
                        pluginId, provider, caller.principal().getName(), reason, operations.now()))
                .thenApply(stored -> null);
    }

    /**
     * Removes the plugins that have no instance, healthy or not, no deployment and no volume. Normally a plugin is
     * removed together with its last instance or deployment. This method removes those plugins that have stayed in the
     * state without one.
     *
     * @return the ids of the removed plugins
     */
    public CompletableFuture<List<PluginId>> removeUnused() {
        StateReader state = operations.state();
        List<PluginId> leftOver = ids(state).stream()
                .filter(id -> state.plugin(id).isEmpty()
                        && !state.volumesOf(id).iterator().hasNext())
                .toList();
        List<PluginId> removed = new ArrayList<>();
        CompletableFuture<List<PluginId>> all = CompletableFuture.completedFuture(removed);
        for (PluginId id : leftOver) {
            all = all.thenCompose(before -> operations
                    .submit(new PluginCommand.DeletePlugin(id, operations.now()))
                    .handle((deleted, failure) -> {
                        if (failure == null) {
                            before.add(id);
                        } else if (!(Futures.unwrap(failure) instanceof RejectedException)) {
                            throw Failures.ofLog(failure);
                        }
                        // The plugin is in use again, so the state rejected its removal.
                        return before;
                    }));
        }
        return all;
    }

    private static NavigableSet<PluginId> ids(StateReader state) {
        NavigableSet<PluginId> ids = new TreeSet<>();
        state.instances().forEach(instance -> ids.add(instance.key().pluginId()));
        state.deployments()
                .forEach(deployment -> ids.addAll(deployment.expected().keySet()));
        state.facts().forEach(facts -> ids.add(facts.pluginId()));
        return ids;
    }
}
