package io.csi4j.admin.internal.api;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import java.util.List;
import java.util.OptionalLong;

/** The actions on claims of allocations. */
public final class ClaimActions {
    private static final String OF_ALLOCATION = "/v1/allocations/{allocation}/claims";
    private static final String MOUNT = "PLUGIN_READ; VOLUME_MOUNT in the namespace of each volume";

    private ClaimActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(request(), withdraw(), release());
    }

    private static Endpoint request() {
        return Endpoint.post("claim request", OF_ALLOCATION, "Request volumes for an allocation")
                .description("The request is stored, and the leader takes the claims as soon as they can be granted;"
                        + " then the node can mount the volumes. The host has to report the allocation first.")
                .with(
                        ActionFields.ALLOCATION,
                        Parameter.body(
                                        "volumes",
                                        Parameter.Type.OBJECTS,
                                        "One entry for each mount.",
                                        List.of(
                                                Parameter.body(
                                                                "namespace",
                                                                Parameter.Type.TEXT,
                                                                "The namespace of the volume.")
                                                        .needed(),
                                                Parameter.body("volume", Parameter.Type.TEXT, "The volume.")
                                                        .needed(),
                                                Parameter.body(
                                                                "mode",
                                                                ClaimMode.class,
                                                                "Whether the allocation writes.")
                                                        .needed(),
                                                ActionFields.accessMode(),
                                                ActionFields.attachmentMode(),
                                                ActionFields.mountOptions("Options in place of those of the volume.")))
                                .needed())
                .needs(MOUNT + " and of the allocation")
                .action(call -> call.operations()
                        .claims()
                        .request(
                                ActionFields.allocation(call.values()),
                                call.values().objects("volumes").stream()
                                        .map(ClaimActions::request)
                                        .toList()));
    }

    private static ClaimRequest request(Values values) {
        return new ClaimRequest(
                new VolumeKey(values.parsed("namespace", Namespace::of), values.parsed("volume", VolumeId::of)),
                values.choice("mode", ClaimMode.class),
                ActionFields.capability(values),
                ActionFields.mountOptions(values));
    }

    private static Endpoint withdraw() {
        return Endpoint.delete("claim withdraw", OF_ALLOCATION, "Withdraw all requests and claims of an allocation")
                .description("For an allocation that does not start.")
                .with(ActionFields.ALLOCATION)
                .needs(MOUNT)
                .destroys()
                .action(call -> call.operations().claims().withdraw(ActionFields.allocation(call.values())));
    }

    private static Endpoint release() {
        return Endpoint.delete(
                        "claim release", VolumeActions.PATH + "/claims/{allocation}", "Release a claim on a volume")
                .description("The allocation must not use the volume any more. The operation ends when the release is"
                        + " stored; then the engine unmounts and detaches the volume.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        ActionFields.ALLOCATION,
                        Parameter.query(
                                "takenIndex",
                                Parameter.Type.NUMBER,
                                "Only the claim that was taken at this index, so that a newer one stays."))
                .needs(MOUNT)
                .destroys()
                .action(call -> {
                    OptionalLong taken = call.values().number("takenIndex");
                    VolumeKey key = ActionFields.volume(call.values());
                    var claims = call.operations().claims();
                    return taken.isPresent()
                            ? ActionFields.valid(
                                    "takenIndex",
                                    () -> claims.release(
                                            key, ActionFields.allocation(call.values()), taken.getAsLong()))
                            : claims.release(key, ActionFields.allocation(call.values()));
                });
    }
}
