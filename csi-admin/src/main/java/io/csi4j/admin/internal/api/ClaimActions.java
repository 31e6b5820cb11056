package io.csi4j.admin.internal.api;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The actions on claims of allocations. */
public final class ClaimActions {
    private static final String OF_ALLOCATION = "/v1/allocations/{allocation}/claims";
    private static final String MOUNT = "PLUGIN_READ; VOLUME_MOUNT in the namespace of each volume";

    private static final String SEES = "; VOLUME_READ there";

    private ClaimActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(request(), withdraw(), release());
    }

    private static Endpoint request() {
        return Endpoint.post("claim request", OF_ALLOCATION, "Request volumes for an allocation")
                .description("The request is stored, and the leader takes the claims as soon as they can be granted;"
                        + " then the node can mount the volumes. With a class, the claim makes the volume near the node"
                        + " if it does not exist. The host has to report the allocation first.")
                .with(
                        ActionFields.ALLOCATION,
                        Parameter.body("volumes", Parameter.Type.OBJECTS, "One entry for each mount.", entry())
                                .needed())
                .needs(MOUNT + " and of the allocation")
                .action(call -> call.operations()
                        .claims()
                        .request(
                                ActionFields.allocation(call.values()),
                                requests(
                                        ActionFields.allocation(call.values()),
                                        call.values().objects("volumes"))));
    }

    /** Returns the fields of one mount. */
    private static List<Parameter> entry() {
        List<Parameter> fields = new ArrayList<>(List.of(
                Parameter.body("namespace", Parameter.Type.TEXT, "The namespace of the volume.")
                        .needed(),
                Parameter.body(
                                "volume",
                                Parameter.Type.TEXT,
                                "The volume; with the lifetime ALLOCATION its name in the allocation, from which its id is"
                                        + " derived.")
                        .needed(),
                Parameter.body("mode", ClaimMode.class, "Whether the allocation writes.")
                        .needed(),
                ActionFields.accessMode(),
                ActionFields.attachmentMode(),
                ActionFields.mountOptions("Options in place of those of the volume.")));
        fields.addAll(TemplateFields.ALL);
        return fields;
    }

    private static List<ClaimRequest> requests(AllocationId allocation, List<Values> entries) {
        List<ClaimRequest> requests = new ArrayList<>();
        BadRequestException.Collected problems = new BadRequestException.Collected();
        entries.forEach(entry -> problems.part(() -> requests.add(request(allocation, entry))));
        problems.end();
        return requests;
    }

    private static ClaimRequest request(AllocationId allocation, Values values) {
        Namespace namespace = values.parsed("namespace", Namespace::of);
        Optional<VolumeTemplate> template = TemplateFields.template(values);
        boolean own = template.filter(made -> made.lifetime() == VolumeLifetime.ALLOCATION)
                .isPresent();
        VolumeKey key = own
                ? values.parsed("volume", name -> VolumeKey.ofAllocation(namespace, allocation, name))
                : new VolumeKey(namespace, values.parsed("volume", VolumeId::of));
        return new ClaimRequest(
                key,
                values.choice("mode", ClaimMode.class),
                ActionFields.capability(values),
                ActionFields.mountOptions(values),
                template);
    }

    private static Endpoint withdraw() {
        return Endpoint.delete("claim withdraw", OF_ALLOCATION, "Withdraw all requests and claims of an allocation")
                .description("For an allocation that does not start: one that runs by the host's word keeps its claims,"
                        + " unless the request says 'running'.")
                .with(ActionFields.ALLOCATION, ReleasedUses.RUNNING, ActionFields.DRY_RUN)
                .needs(MOUNT + SEES)
                .destroys()
                .action(ReleasedUses.SHAPE, call -> {
                    AllocationId allocation = ActionFields.allocation(call.values());
                    return Steps.then(
                            ReleasedUses.of(call, allocation),
                            uses -> ReleasedUses.stored(
                                    call,
                                    uses,
                                    () -> ReleasedUses.noUse(call, allocation),
                                    ReleasedUses.STARTED,
                                    () -> call.operations().claims().withdraw(allocation)));
                });
    }

    private static Endpoint release() {
        return Endpoint.delete(
                        "claim release", VolumeActions.PATH + "/claims/{allocation}", "Release a claim on a volume")
                .description("The end of an allocation releases its claims without this. The allocation must not use"
                        + " the volume any more: one that has not ended by the host's word keeps its claim, unless the"
                        + " request says 'running'. The operation ends when the release is stored; then the engine"
                        + " unmounts and detaches the volume.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        ActionFields.ALLOCATION,
                        Parameter.query(
                                "takenIndex",
                                Parameter.Type.NUMBER,
                                "Only the claim that was taken at this index, so that a newer one stays."),
                        ReleasedUses.RUNNING,
                        ActionFields.DRY_RUN)
                .needs(MOUNT + SEES)
                .destroys()
                .action(ReleasedUses.SHAPE, call -> {
                    OptionalLong taken = call.values().number("takenIndex");
                    VolumeKey key = ActionFields.volume(call.values());
                    AllocationId allocation = ActionFields.allocation(call.values());
                    return Steps.then(ReleasedUses.of(call, key, allocation), found -> {
                        List<ReleasedUses.Use> uses = found.stream()
                                .filter(use ->
                                        taken.isEmpty() || use.claim().claim().takenIndex() == taken.getAsLong())
                                .toList();
                        return ReleasedUses.stored(
                                call,
                                uses,
                                () -> CompletableFuture.completedFuture(ReleasedUses.noClaim(key, allocation)),
                                ReleasedUses.MAY_USE,
                                () -> release(call, key, allocation, taken, uses));
                    });
                });
    }

    /** Releases the claim that was checked, so that a newer one of the allocation stays. */
    private static CompletableFuture<Void> release(
            Call call, VolumeKey key, AllocationId allocation, OptionalLong taken, List<ReleasedUses.Use> checked) {
        VolumeClaims claims = call.operations().claims();
        if (taken.isPresent()) {
            return ActionFields.valid("takenIndex", () -> claims.release(key, allocation, taken.getAsLong()));
        }
        return checked.isEmpty()
                ? claims.release(key, allocation)
                : claims.release(key, allocation, checked.get(0).claim().claim().takenIndex());
    }
}
