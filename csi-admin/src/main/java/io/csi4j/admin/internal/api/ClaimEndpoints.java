package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.AllocationClaims;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The reads of claims. */
public final class ClaimEndpoints {
    private static final Shape<AllocationClaims.Held> HELD = Shapes.claim(
                    Shape.<AllocationClaims.Held>of("HeldClaim", "A claim that an allocation has.")
                            .text(
                                    "namespace",
                                    "The namespace of the volume.",
                                    held -> held.volume().namespace().value())
                            .column()
                            .text(
                                    "volume",
                                    "The volume.",
                                    held -> held.volume().volumeId().value())
                            .column(),
                    AllocationClaims.Held::claim)
            .flag(
                    "published",
                    "Whether the volume is published to the node, or need not be; a TAKEN claim is granted only then.",
                    AllocationClaims.Held::published)
            .column()
            .build();

    private static final Shape<AllocationClaims> ALLOCATION = Shape.<AllocationClaims>of(
                    "AllocationClaims", "The claims of an allocation on volumes that the caller may read.")
            .text("allocation", "The allocation.", AllocationClaims::allocationId)
            .objects("held", "The claims that it has.", HELD, AllocationClaims::held)
            .objects(
                    "waiting",
                    "Its claim requests that wait; only the leader knows them.",
                    Shapes.WAITING_CLAIM,
                    AllocationClaims::waiting)
            .optional()
            .build();

    private static final Shape<Access> ACCESS = Shape.<Access>of("Access", "A permission, for a namespace or for all.")
            .choice("permission", "The permission.", Permission.class, Access::permission)
            .column()
            .text("namespace", "The namespace; absent if it is a permission for the whole cluster.", Access::namespace)
            .optional()
            .column()
            .build();

    private static final Shape<List<Access>> MISSING = Shape.<List<Access>>of(
                    "MissingAuthority", "The permissions that a caller lacks for submitting a workload.")
            .flag("allowed", "Whether no permission is missing.", List::isEmpty)
            .objects("missing", "The missing permissions.", ACCESS, missing -> missing)
            .build();

    private ClaimEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(allocation(), waiting(), access());
    }

    private static Endpoint allocation() {
        return Endpoint.get("allocation status", "/v1/allocations/{allocation}", "Show the claims of an allocation")
                .description("An allocation without claims has two empty lists. A request with an index waits for the"
                        + " state; the waiting claims change without an index.")
                .with(Parameter.path("allocation", "The allocation."))
                .atLeader("the waiting claims", "waiting")
                .needs("VOLUME_READ in the namespace of each volume")
                .waitsForAny(call -> List.of(
                        StateScope.volumesClaimedBy(allocation(call)), StateScope.requestedClaimsOf(allocation(call))))
                .one(
                        ALLOCATION,
                        call -> call.operations()
                                .claims()
                                .status(allocation(call))
                                .<Optional<AllocationClaims>>thenApply(Optional::of),
                        claims -> claims.held().stream()
                                .map(held -> StateScope.volume(held.volume()))
                                .toList());
    }

    private static AllocationId allocation(Call call) {
        return call.values().parsed("allocation", AllocationId::of);
    }

    private static Endpoint waiting() {
        return Endpoint.get("claim waiting", "/v1/waiting-claims", "List the claims that wait, oldest first")
                .description(
                        "Only the leader has waiting claims; another server answers that it does not lead. They are not in"
                                + " the state, so this list does not wait for changes.")
                .with(
                        Filters.text("namespace", "Only claims on a volume of this namespace."),
                        Filters.text("plugin", "Only claims on a volume of this plugin."),
                        Filters.text("node", "Only claims of allocations on this node."),
                        Filters.text("prefix", "Only claims of allocations whose id begins so."),
                        Parameter.query("reason", WaitReason.class, "Only claims that wait for this reason."))
                .needs("VOLUME_READ in the namespace of each volume")
                .pages(Shapes.WAITING_CLAIM, (call, after, limit) -> {
                    call.server().needLeader();
                    return call.operations()
                            .claims()
                            .waiting(query(call)
                                    .after(after.map(Long::valueOf).orElse(null))
                                    .limit(limit)
                                    .build())
                            .thenApply(page -> Page.of(page, position -> Long.toString(position)));
                });
    }

    private static WaitingQuery.Builder query(Call call) {
        Values values = call.values();
        return WaitingQuery.builder()
                .namespace(values.maybe("namespace", Namespace::of).orElse(null))
                .pluginId(values.maybe("plugin", PluginId::of).orElse(null))
                .nodeId(values.maybe("node", NodeId::of).orElse(null))
                .reason(values.maybeChoice("reason", WaitReason.class).orElse(null))
                .idPrefix(values.textOrEmpty("prefix"));
    }

    private static Endpoint access() {
        return Endpoint.get(
                        "access check",
                        "/v1/access/check",
                        "Check whether the caller may submit a workload, and name the permissions that are missing")
                .with(
                        Filters.text("namespace", "The namespace of the workload.")
                                .needed(),
                        Filters.flag("mounts", "Whether the workload claims volumes."),
                        Parameter.query(
                                "deploys", Parameter.Type.TEXTS, "A plugin that the workload runs; may be repeated."))
                .needs("none")
                .one(MISSING, ClaimEndpoints::missing);
    }

    private static CompletableFuture<Optional<List<Access>>> missing(Call call) {
        boolean mounts = call.values().flag("mounts");
        Set<PluginId> deploys = Set.copyOf(call.values().parsedTexts("deploys", PluginId::of));
        if (!mounts && deploys.isEmpty()) {
            throw new BadRequestException(
                    "mounts", "is not set, and no plugin is named", "say what the workload needs: mounts, or deploys");
        }
        return call.operations()
                .claims()
                .missingAuthority(
                        call.values().parsed("namespace", Namespace::of),
                        mounts ? List.of(anyVolume()) : List.of(),
                        deploys)
                .thenApply(Optional::of);
    }

    /** The missing permissions are the same for each volume. */
    private static VolumeRequest anyVolume() {
        return new VolumeRequest(
                "any",
                false,
                RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
                MountOptions.none(),
                false);
    }
}
