package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumeQuota;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Puts, reads and removes quotas: the limits for the volumes of a namespace, and of a class in it. The quotas are rows of
 * the state. A request that would lift the use over a limit fails with a {@link RejectedException} with
 * {@link io.csi4j.core.command.Rejection.QuotaExceeded}; requests that do not raise the use are never refused. Each
 * operation works on each server, whether it leads or not. Thread-safe.
 *
 * <p>To put and to remove quotas, and to list those of all namespaces, a caller needs {@link Permission#MANAGEMENT}. With
 * {@link Permission#VOLUME_LIST} in a namespace, a caller sees its quotas and their use.
 */
public final class VolumeQuotas {
    private final Operations operations;
    private final Caller caller;

    VolumeQuotas(Operations operations, Caller caller) {
        this.operations = operations;
        this.caller = caller;
    }

    /**
     * Adds a quota, or replaces both limits of the quota that has its key. A limit below the use takes nothing away: new
     * requests are refused until the use is below it.
     *
     * @param ifModifyIndex the quota is put only if it was last changed at this index; 0 for no such check
     * @return completes when the state of this server has the quota. Fails with a {@link CsiRequestException} that names
     *     all problems of the quota, and with a {@link RejectedException} with {@link
     *     io.csi4j.core.command.Rejection.QuotaChanged} if another change was faster. If the log does not answer, the
     *     quota may have been put: read it before you put it again
     */
    public CompletableFuture<Void> put(VolumeQuota quota, long ifModifyIndex) {
        Objects.requireNonNull(quota, "quota");
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            List<Problem> problems = quota.problems();
            if (!problems.isEmpty()) {
                throw new CsiRequestException(quota.key().toString(), problems);
            }
            // Submitted once: a repetition that is applied late would undo a later change or removal.
            return operations
                    .submit(new QuotaCommand.PutQuota(quota, ifModifyIndex, operations.now()))
                    .thenApply(accepted -> null);
        });
    }

    /** Adds a quota, or replaces both limits of the quota that has its key, whenever it was last changed. */
    public CompletableFuture<Void> put(VolumeQuota quota) {
        return put(quota, 0);
    }

    /**
     * Returns a quota with its use.
     *
     * @return the quota; fails with a {@link CsiRequestException} if the state of this server does not have it
     */
    public CompletableFuture<QuotaView> get(QuotaKey key) {
        Objects.requireNonNull(key, "key");
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_LIST));
            StateReader state = operations.state();
            return CompletableFuture.completedFuture(view(state, known(state, key)));
        });
    }

    /**
     * Returns a page of quotas with their use, in the order of their keys.
     *
     * @param query the filter; without a namespace, it needs the permission MANAGEMENT
     */
    public CompletableFuture<ListPage<QuotaView, QuotaKey>> list(QuotaQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.starter().run(() -> {
            operations
                    .permissions()
                    .allow(
                            caller,
                            query.namespace()
                                    .map(namespace -> Access.in(namespace, Permission.VOLUME_LIST))
                                    .orElse(Access.of(Permission.MANAGEMENT)));
            StateReader state = operations.state();
            return CompletableFuture.completedFuture(Paging.page(
                    state.quotas(),
                    query.limit(),
                    VolumeQuota::key,
                    row -> found(query, row.key()) ? Optional.of(view(state, row)) : Optional.empty()));
        });
    }

    private static boolean found(QuotaQuery query, QuotaKey key) {
        return query.namespace()
                        .filter(namespace -> !namespace.equals(key.namespace()))
                        .isEmpty()
                && query.after().filter(last -> key.compareTo(last) <= 0).isEmpty();
    }

    /**
     * Removes a quota, so that its volumes have no limit.
     *
     * @return completes when the state of this server has the change; fails with a {@link CsiRequestException} if the
     *     state of this server does not have the quota
     */
    public CompletableFuture<Void> remove(QuotaKey key) {
        Objects.requireNonNull(key, "key");
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            var command = new QuotaCommand.RemoveQuota(
                    key, known(operations.state(), key).createIndex(), operations.now());
            return operations
                    .retryLoop()
                    .untilDone(
                            "removal of the " + key, RetryLoop.Stored.UNCERTAIN, attempt -> operations.submit(command))
                    .thenApply(accepted -> null);
        });
    }

    private static VolumeQuota known(StateReader state, QuotaKey key) {
        return state.quota(key)
                .orElseThrow(() -> new CsiRequestException(
                        key.toString(),
                        List.of(new Problem("key", "names the " + key + ", which does not exist", "list the quotas"))));
    }

    private static QuotaView view(StateReader state, VolumeQuota row) {
        return QuotaView.of(row, state.quotaUse(row.key()));
    }
}
