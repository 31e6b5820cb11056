package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.reconcile.CapacityQueries;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.VolumeClass;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Puts, reads and removes volume classes. The classes are rows of the state; {@link ManagedVolumes} makes volumes from
 * them. Each operation works on each server, whether it leads or not. Thread-safe.
 *
 * <p>To put and to remove classes, and to see all of them, a caller needs {@link Permission#MANAGEMENT}. With
 * {@link Permission#VOLUME_WRITE} in a namespace, a caller sees and uses the classes that this namespace may use.
 */
public final class VolumeClasses {
    private final Operations operations;
    private final CapacityQueries capacity;
    private final Caller caller;

    VolumeClasses(Operations operations, CapacityQueries capacity, Caller caller) {
        this.operations = operations;
        this.capacity = capacity;
        this.caller = caller;
    }

    /**
     * Adds a class, or replaces all values of the class that has its name. Volumes that were made from the class stay as
     * they are. The plugin of the class need not be known yet.
     *
     * @param ifModifyIndex the class is put only if it was last changed at this index; 0 for no such check
     * @return completes when the state of this server has the class. Fails with a {@link CsiRequestException} that names
     *     all problems of the class, and with a {@link RejectedException} with {@link
     *     io.csi4j.core.command.Rejection.VolumeClassChanged} if another change was faster. If the log does not answer,
     *     the class may have been put: read it before you put it again
     */
    public CompletableFuture<Void> put(VolumeClass volumeClass, long ifModifyIndex) {
        Objects.requireNonNull(volumeClass, "volumeClass");
        return operations.starter().run(() -> {
            manage();
            List<Problem> problems = volumeClass.problems();
            if (!problems.isEmpty()) {
                throw new CsiRequestException("volume class " + volumeClass.name(), problems);
            }
            // Submitted once: a repetition that is applied late would undo a later change or removal.
            return operations
                    .submit(new VolumeClassCommand.PutVolumeClass(volumeClass, ifModifyIndex, operations.now()))
                    .thenApply(accepted -> null);
        });
    }

    /** Adds a class, or replaces all values of the class that has its name, whenever it was last changed. */
    public CompletableFuture<Void> put(VolumeClass volumeClass) {
        return put(volumeClass, 0);
    }

    /**
     * Returns a class.
     *
     * @return the class; fails with a {@link CsiRequestException} if the state of this server does not have it
     */
    public CompletableFuture<VolumeClassView> get(VolumeClassName name) {
        Objects.requireNonNull(name, "name");
        return operations.starter().run(() -> {
            manage();
            return CompletableFuture.completedFuture(view(known(name)));
        });
    }

    /**
     * Returns a class that a namespace may use.
     *
     * @return the class; fails with a {@link CsiRequestException} if the state of this server does not have it, or the
     *     namespace may not use it
     */
    public CompletableFuture<VolumeClassView> get(Namespace namespace, VolumeClassName name) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        return operations.starter().run(() -> {
            allow(Access.in(namespace, Permission.VOLUME_WRITE));
            return operations
                    .state()
                    .volumeClass(name)
                    .filter(row -> row.usableIn(namespace))
                    .map(row -> CompletableFuture.completedFuture(view(row, namespace)))
                    .orElseThrow(
                            () -> unknown(name, ", and namespace " + namespace + " can use no class of this name"));
        });
    }

    /**
     * Returns a page of classes, in the order of their names.
     *
     * @param query the filter; without a namespace, it needs the permission MANAGEMENT
     */
    public CompletableFuture<ListPage<VolumeClassView, VolumeClassName>> list(VolumeClassQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.starter().run(() -> {
            allow(query.namespace()
                    .map(namespace -> Access.in(namespace, Permission.VOLUME_WRITE))
                    .orElse(Access.of(Permission.MANAGEMENT)));
            return CompletableFuture.completedFuture(Paging.page(
                    operations.state().volumeClasses(),
                    query.limit(),
                    VolumeClass::name,
                    row -> found(query, row)
                            ? Optional.of(query.namespace()
                                    .map(namespace -> view(row, namespace))
                                    .orElseGet(() -> view(row)))
                            : Optional.empty()));
        });
    }

    private static boolean found(VolumeClassQuery query, VolumeClass row) {
        return row.name().value().startsWith(query.namePrefix())
                && query.after().filter(last -> row.name().compareTo(last) <= 0).isEmpty()
                && query.namespace()
                        .filter(namespace -> !row.usableIn(namespace))
                        .isEmpty();
    }

    /**
     * Returns a page of what this engine knows of the free capacity for volumes of a class, one entry for each topology that
     * it asks for, in the order of the topologies. An engine that does not lead knows nothing.
     *
     * @param after the page begins after this topology, by its text; empty to begin with the first
     * @param limit the maximum number of topologies on the page, 1 or more
     * @return the page, with the text of the topology after which the next one begins; fails with a {@link
     *     CsiRequestException} if the state of this server does not have the class. It needs the permission MANAGEMENT
     */
    public CompletableFuture<ListPage<PlaceCapacity, String>> capacity(
            VolumeClassName name, Optional<String> after, int limit) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(after, "after");
        PageLimit.checked("VolumeClasses.capacity", limit);
        return operations.starter().run(() -> {
            manage();
            return CompletableFuture.completedFuture(Paging.page(
                    capacity.of(known(name)),
                    limit,
                    place -> CapacityQueries.text(place.topology()),
                    place -> after.filter(last -> CapacityQueries.text(place.topology())
                                                    .compareTo(last)
                                            <= 0)
                                    .isEmpty()
                            ? Optional.of(place)
                            : Optional.empty()));
        });
    }

    /**
     * Removes a class, also if there are volumes of it. These volumes stay as they are, with the values and secrets of the
     * class.
     *
     * @return completes when the state of this server has the change; fails with a {@link CsiRequestException} if the
     *     state of this server does not have the class
     */
    public CompletableFuture<Void> remove(VolumeClassName name) {
        Objects.requireNonNull(name, "name");
        return operations.starter().run(() -> {
            manage();
            var command =
                    new VolumeClassCommand.RemoveVolumeClass(name, known(name).createIndex(), operations.now());
            return operations
                    .retryLoop()
                    .untilDone(
                            "removal of volume class " + name,
                            RetryLoop.Stored.UNCERTAIN,
                            attempt -> operations.submit(command))
                    .thenApply(accepted -> null);
        });
    }

    private VolumeClass known(VolumeClassName name) {
        return operations
                .state()
                .volumeClass(name)
                .orElseThrow(() -> unknown(name, ", and no volume class has this name"));
    }

    private static CsiRequestException unknown(VolumeClassName name, String problem) {
        return new CsiRequestException(
                "volume class " + name, List.of(new Problem("className", "is " + name + problem, "list the classes")));
    }

    private static VolumeClassView view(VolumeClass row) {
        return VolumeClassView.of(row, row.namespaces());
    }

    /** Returns the class as the users of a namespace see it: without the other namespaces that may use it. */
    private VolumeClassView view(VolumeClass row, Namespace namespace) {
        if (operations.permissions().allows(caller, Access.of(Permission.MANAGEMENT))) {
            return view(row);
        }
        SortedSet<Namespace> shown =
                row.namespaces().isEmpty() ? Collections.emptySortedSet() : new TreeSet<>(List.of(namespace));
        return VolumeClassView.of(row, shown);
    }

    private void manage() {
        allow(Access.of(Permission.MANAGEMENT));
    }

    private void allow(Access access) {
        operations.permissions().allow(caller, access);
    }
}
