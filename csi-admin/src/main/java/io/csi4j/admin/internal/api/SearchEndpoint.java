package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.lifecycle.VolumeClassQuery;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** One search by prefix over all kinds of objects, so far as the caller may see them. */
public final class SearchEndpoint {
    private static final int DEFAULT_LIMIT = 20;
    private static final int LIMIT = 100;

    /** The kinds of objects that are searched. */
    enum Kind {
        VOLUME,
        NODE,
        PLUGIN,
        VOLUME_CLASS,
        ALLOCATION,
        LEFTOVER,
        WITHDRAWN_CREATION
    }

    /**
     * An object.
     *
     * @param id its id, as the commands take it
     * @param text a line about it
     */
    private record Hit(Kind kind, String id, String text) {}

    /** The objects of one kind. */
    private record Found(Kind kind, List<Hit> hits, boolean more) {}

    private static final Shape<Hit> HIT = Shape.<Hit>of("SearchHit", "An object whose id begins as asked.")
            .choice("kind", "The kind.", Kind.class, Hit::kind)
            .column()
            .text("id", "The id; namespace/volume for a volume.", Hit::id)
            .column()
            .text("text", "A line about it.", Hit::text)
            .column("DETAIL")
            .build();

    private static final Shape<List<Found>> RESULT = Shape.<List<Found>>of("SearchResult", "The objects of all kinds.")
            .objects(
                    "hits",
                    "The objects, kind by kind.",
                    HIT,
                    found ->
                            found.stream().flatMap(kind -> kind.hits().stream()).toList())
            .texts(
                    "more",
                    "The kinds that have more objects than the limit.",
                    found -> found.stream().filter(Found::more).map(Found::kind).toList())
            .text(
                    "note",
                    "What the search does not find; absent if it found an allocation.",
                    found -> found.stream()
                                    .anyMatch(kind -> kind.kind() == Kind.ALLOCATION
                                            && !kind.hits().isEmpty())
                            ? Optional.empty()
                            : Optional.of("an allocation with claims is found by its whole id only; snapshots are not"
                                    + " searched"))
            .optional()
            .build();

    private SearchEndpoint() {}

    /** Returns the endpoint. */
    public static List<Endpoint> all() {
        return List.of(
                Endpoint.get("search", "/v1/search/{prefix}", "Find objects of all kinds by the begin of their id")
                        .description(
                                "Searches volumes of all namespaces (with a slash, as in default/db-, of one namespace), nodes,"
                                        + " plugins, classes, allocations that wait for a claim, an allocation with claims by its whole id, leftovers"
                                        + " by the external id of the volume, and withdrawn creations by their name. A kind that the caller"
                                        + " may not list has no hits. Snapshots are not in the state, so they are not searched. Does not wait"
                                        + " for changes.")
                        .with(
                                Parameter.path("prefix", "The begin of the id."),
                                Parameter.query(
                                        "limit",
                                        Parameter.Type.NUMBER,
                                        "The most hits of each kind, at most 100; 20 if it is not set."))
                        .atLeader("allocations that wait for a claim")
                        .needs("the permission to list each kind")
                        .one(RESULT, SearchEndpoint::search));
    }

    private static CompletableFuture<Optional<List<Found>>> search(Call call) {
        long wanted = call.values().number("limit").orElse(DEFAULT_LIMIT);
        if (wanted < 1 || wanted > LIMIT) {
            throw new BadRequestException("limit", "is " + wanted, "use 1 to " + LIMIT);
        }
        int limit = (int) wanted;
        String prefix = call.values().text("prefix");
        CallerOperations operations = call.operations();
        List<CompletableFuture<Found>> searches = List.of(
                visible(Kind.VOLUME, () -> volumes(operations, prefix, limit)),
                visible(Kind.NODE, () -> nodes(operations, prefix, limit)),
                visible(Kind.PLUGIN, () -> plugins(operations, prefix, limit)),
                visible(Kind.VOLUME_CLASS, () -> classes(operations, prefix, limit)),
                visible(Kind.ALLOCATION, () -> allocations(operations, prefix, limit)),
                visible(Kind.LEFTOVER, () -> leftovers(operations, prefix, limit)),
                visible(Kind.WITHDRAWN_CREATION, () -> withdrawn(operations, prefix, limit)));
        return CompletableFuture.allOf(searches.toArray(CompletableFuture[]::new))
                .thenApply(done -> Optional.of(
                        searches.stream().map(CompletableFuture::join).toList()));
    }

    /** Runs a search; without the permission for a kind, or for a namespace, nothing is found. */
    private static CompletableFuture<Found> visible(Kind kind, Supplier<CompletableFuture<Found>> search) {
        return Futures.recovered(
                Futures.start(search),
                failure -> failure instanceof AccessDeniedException
                        ? Optional.of(new Found(kind, List.of(), false))
                        : Optional.empty());
    }

    private static CompletableFuture<Found> volumes(CallerOperations operations, String prefix, int limit) {
        int slash = prefix.indexOf('/');
        VolumeQuery.Builder query =
                VolumeQuery.builder().idPrefix(prefix.substring(slash + 1)).limit(limit);
        if (slash >= 0) {
            try {
                query.namespace(Namespace.of(prefix.substring(0, slash)));
            } catch (IllegalArgumentException e) {
                return none(Kind.VOLUME); // It is not the name of a namespace, so no volume is in it.
            }
        }
        return operations
                .volumes()
                .list(query.build())
                .thenApply(page -> found(
                        Kind.VOLUME,
                        page,
                        volume -> new Hit(
                                Kind.VOLUME,
                                volume.key().toString(),
                                volume.phase() + ", plugin " + volume.pluginId() + ", claims " + volume.taken()
                                        + ", waiting " + volume.waiting() + ", " + volume.health())));
    }

    private static CompletableFuture<Found> classes(CallerOperations operations, String prefix, int limit) {
        return operations
                .classes()
                .list(new VolumeClassQuery(Optional.empty(), prefix, Optional.empty(), limit))
                .thenApply(page -> found(
                        Kind.VOLUME_CLASS,
                        page,
                        view -> new Hit(
                                Kind.VOLUME_CLASS,
                                view.name().value(),
                                "plugin " + view.pluginId() + ", " + view.binding() + ", " + view.reclaim())));
    }

    private static CompletableFuture<Found> nodes(CallerOperations operations, String prefix, int limit) {
        return operations
                .operator()
                .nodes(NodeQuery.builder().idPrefix(prefix).limit(limit).build())
                .thenApply(page -> found(
                        Kind.NODE,
                        page,
                        view -> new Hit(
                                Kind.NODE,
                                view.node().id().value(),
                                view.node().status() + " since " + view.node().since())));
    }

    private static CompletableFuture<Found> plugins(CallerOperations operations, String prefix, int limit) {
        return operations
                .operator()
                .plugins(PluginQuery.builder().idPrefix(prefix).limit(limit).build())
                .thenApply(page -> found(
                        Kind.PLUGIN,
                        page,
                        plugin -> new Hit(
                                Kind.PLUGIN,
                                plugin.pluginId().value(),
                                plugin.provider().orElse("provider not known") + ", healthy controllers "
                                        + plugin.healthyControllers() + ", healthy nodes " + plugin.healthyNodes())));
    }

    private static CompletableFuture<Found> allocations(CallerOperations operations, String prefix, int limit) {
        CompletableFuture<Found> waiting = operations
                .claims()
                .waiting(WaitingQuery.builder().idPrefix(prefix).limit(limit).build())
                .thenApply(page -> found(
                        Kind.ALLOCATION,
                        page,
                        claim -> new Hit(
                                Kind.ALLOCATION, claim.allocationId().value(), "waits since " + claim.since())));
        AllocationId whole;
        try {
            whole = AllocationId.of(prefix);
        } catch (IllegalArgumentException e) {
            return waiting; // It is not a whole id.
        }
        return waiting.thenCombine(operations.claims().status(whole), (found, claims) -> {
            if (claims.held().isEmpty() || found.hits().size() >= limit) {
                return found;
            }
            List<Hit> hits = new ArrayList<>(found.hits());
            hits.add(
                    0,
                    new Hit(Kind.ALLOCATION, prefix, "claims " + claims.held().size()));
            return new Found(Kind.ALLOCATION, hits, found.more());
        });
    }

    private static CompletableFuture<Found> leftovers(CallerOperations operations, String prefix, int limit) {
        return operations
                .operator()
                .leftovers()
                .thenApply(all -> found(
                        Kind.LEFTOVER,
                        all.stream()
                                .filter(leftover ->
                                        leftover.externalVolumeId().value().startsWith(prefix))
                                .map(leftover -> new Hit(
                                        Kind.LEFTOVER,
                                        leftover.externalVolumeId().value(),
                                        "plugin " + leftover.pluginId() + ", was volume " + leftover.formerVolume()))
                                .toList(),
                        limit));
    }

    private static CompletableFuture<Found> withdrawn(CallerOperations operations, String prefix, int limit) {
        return operations
                .operator()
                .withdrawnCreations()
                .thenApply(all -> found(
                        Kind.WITHDRAWN_CREATION,
                        all.stream()
                                .filter(creation -> creation.name().startsWith(prefix))
                                .map(creation -> new Hit(
                                        Kind.WITHDRAWN_CREATION,
                                        creation.name(),
                                        "plugin " + creation.pluginId() + ", of volume " + creation.volume()))
                                .toList(),
                        limit));
    }

    private static CompletableFuture<Found> none(Kind kind) {
        return CompletableFuture.completedFuture(new Found(kind, List.of(), false));
    }

    private static <T> Found found(Kind kind, ListPage<T, ?> page, Function<T, Hit> hit) {
        return new Found(
                kind, page.items().stream().map(hit).toList(), page.next().isPresent());
    }

    private static Found found(Kind kind, List<Hit> hits, int limit) {
        return new Found(kind, hits.stream().limit(limit).toList(), hits.size() > limit);
    }
}
