package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** The actions that give up what does not end by itself: withdrawals, and the removal of volumes and their records. */
public final class RepairActions {
    private static final String MANAGEMENT = "MANAGEMENT";
    private static final String WRITE = "VOLUME_WRITE in the namespace of the volume";
    private static final String PREVIEW = "; a dry run also needs VOLUME_READ there";

    private static final Shape<WithdrawnCreation> CREATION = Shape.<WithdrawnCreation>of(
                    "WithdrawnCreationRecord", "A creation that was given up while its outcome was unknown.")
            .text("plugin", "The plugin.", row -> row.pluginId().value())
            .column()
            .text("name", "The name that CreateVolume sent.", WithdrawnCreation::name)
            .column()
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    row -> row.volume().namespace().value())
            .column()
            .text(
                    "volume",
                    "The volume that was to be created.",
                    row -> row.volume().volumeId().value())
            .column()
            .choice(
                    "forecast",
                    "The prospects that the last answers gave.",
                    CreationForecast.class,
                    WithdrawnCreation::forecast)
            .column()
            .text(
                    "externalVolumeId",
                    "The provider's id, if an answer has shown it.",
                    row -> row.externalVolumeId().map(ExternalVolumeId::value))
            .optional()
            .build();

    /** The answer to a withdrawn creation. */
    record Withdrawn(boolean stored, Optional<WithdrawnCreation> left) {}

    private static final Shape<Withdrawn> WITHDRAWN = Shape.<Withdrawn>of(
                    "CreationWithdrawal", "The withdrawal of a creation.")
            .flag("stored", "Whether the withdrawal is stored; false after a dry run.", Withdrawn::stored)
            .flag(
                    "certain",
                    "Whether it is certain that nothing was made.",
                    answer -> answer.left().isEmpty())
            .maybe("record", "The record that stays because a volume may have been made.", CREATION, Withdrawn::left)
            .build();

    private static final Shape<Attachment> ATTACHMENT = Shape.<Attachment>of(
                    "LeftAttachment", "An attachment that may be left.")
            .text("node", "The node.", attachment -> attachment.nodeId().value())
            .choice("state", "The state.", AttachmentState.class, Attachment::state)
            .build();

    /** The uses of a removed volume. */
    record Left(boolean stored, List<Claim> claims, List<Attachment> attachments) {
        static Left of(boolean stored, Leftover row) {
            return new Left(stored, list(row.claims()), list(row.attachments()));
        }

        static Left of(VolumeStatus status) {
            Volume volume = status.view().volume();
            return new Left(
                    false,
                    list(volume.claims()).stream()
                            .filter(claim -> !claim.nodeDetached())
                            .toList(),
                    list(volume.attachments()).stream()
                            .filter(attachment -> attachment.operatorOverride().isEmpty())
                            .toList());
        }

        private static <T> List<T> list(Iterable<T> all) {
            return StreamSupport.stream(all.spliterator(), false).toList();
        }
    }

    private static final Shape<Left> LEFT = Shape.<Left>of(
                    "LeftUses", "The uses on nodes that a removal leaves, or that a statement ends.")
            .flag("stored", "Whether the request is stored; false after a dry run.", Left::stored)
            .objects("claims", "The claims whose nodes may have it mounted.", ReleasedClaims.ON_NODE, Left::claims)
            .objects("attachments", "The attachments that the provider may have.", ATTACHMENT, Left::attachments)
            .build();

    private RepairActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                withdrawCreation(),
                withdrawDeletion(),
                withdrawExpansion(),
                forget(),
                overrideLeftover(),
                forgetWithdrawnCreation());
    }

    private static Endpoint withdrawCreation() {
        return Endpoint.post(
                        "volume withdraw-creation",
                        VolumeActions.PATH + "/withdraw-creation",
                        "Give up the creation of a volume")
                .description("The plugin is not called for it any more, and the id can be used again at once. Unless it"
                        + " is certain that nothing was made, a record stays, because the provider may have a volume.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME, ActionFields.REASON, ActionFields.DRY_RUN)
                .needs(WRITE + PREVIEW)
                .destroys()
                .action(WITHDRAWN, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    String reason = ActionFields.reason(call.values());
                    return call.values().flag("dryRun")
                            ? status(call, key, status -> new Withdrawn(false, left(call, status, reason)))
                            : Futures.map(
                                    call.operations().operator().withdrawCreation(key, reason),
                                    left -> new Withdrawn(true, left));
                });
    }

    private static Optional<WithdrawnCreation> left(Call call, VolumeStatus status, String reason) {
        Volume volume = status.view().volume();
        if (volume.phase() == VolumePhase.AVAILABLE || volume.externalVolumeId().isPresent()) {
            throw new FailureException(Failure.of(
                    "rejected",
                    409,
                    "volume " + volume.key() + " is not being created, or the provider has made it; delete it"));
        }
        return WithdrawnCreation.of(volume, new OperatorOverride(call.caller(), reason, volume.modifiedAt()));
    }

    private static <T> CompletableFuture<T> status(Call call, VolumeKey key, Function<VolumeStatus, T> conversion) {
        return Futures.map(
                call.operations().claims().status(key),
                found -> conversion.apply(found.orElseThrow(
                        () -> new FailureException(Failure.of("not-found", 404, "the state has no volume " + key)))));
    }

    private static Endpoint withdrawDeletion() {
        return Endpoint.post(
                        "volume withdraw-deletion",
                        VolumeActions.PATH + "/withdraw-deletion",
                        "Take the deletion of a volume back")
                .description("The plugin has to confirm first that the volume still exists.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME, ActionFields.SECRETS)
                .needs("PLUGIN_READ; " + WRITE)
                .action(
                        VolumeActions.CHANGED,
                        call -> Futures.map(
                                ActionFields.withSecrets(call)
                                        .operator()
                                        .withdrawDeletion(ActionFields.volume(call.values())),
                                VolumeActions.Changed::of));
    }

    private static Endpoint withdrawExpansion() {
        return Endpoint.post(
                        "volume withdraw-expansion",
                        VolumeActions.PATH + "/withdraw-expansion",
                        "Take the expansion of a volume back")
                .description("Claims do not wait for it any more. If the outcome of the last call is unknown, the"
                        + " plugin may still expand the volume.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME)
                .needs(WRITE)
                .action(
                        VolumeActions.CHANGED,
                        call -> Futures.map(
                                call.operations().operator().withdrawExpansion(ActionFields.volume(call.values())),
                                VolumeActions.Changed::of));
    }

    private static Endpoint forget() {
        return Endpoint.post("volume forget", VolumeActions.PATH + "/forget", "Remove a volume in use from the state")
                .description(
                        "In every phase, also if nodes may have it mounted. It stays at the provider. Its uses that"
                                + " have not ended stay as a leftover, which admits no claim on the same volume. Refused while"
                                + " an allocation that claims it has not ended.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME, ActionFields.REASON, ActionFields.DRY_RUN)
                .needs(MANAGEMENT + PREVIEW)
                .destroys()
                .action(LEFT, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    String reason = ActionFields.reason(call.values());
                    return call.values().flag("dryRun")
                            ? managed(call, leftovers -> status(call, key, Left::of))
                            : Steps.then(
                                    call.operations().operator().forgetVolume(key, reason),
                                    forgotten -> managed(
                                            call,
                                            leftovers -> CompletableFuture.completedFuture(leftovers.stream()
                                                    .filter(row ->
                                                            row.formerVolume().equals(key))
                                                    .findFirst()
                                                    .map(row -> Left.of(true, row))
                                                    .orElse(new Left(true, List.of(), List.of())))));
                });
    }

    /** Reads the leftovers, which needs MANAGEMENT. */
    private static <T> CompletableFuture<T> managed(Call call, Function<List<Leftover>, CompletableFuture<T>> then) {
        return Steps.then(call.operations().operator().leftovers(), then);
    }

    private static Endpoint overrideLeftover() {
        return Endpoint.post(
                        "leftover override",
                        "/v1/plugins/{plugin}/leftovers/{externalVolumeId}/override",
                        "State that no node uses a forgotten volume any more")
                .description("Removes the leftover: if the statement is wrong, a volume may be used on two nodes, and"
                        + " data may be lost.")
                .with(ActionFields.PLUGIN, externalVolumeId(), ActionFields.REASON, ActionFields.DRY_RUN)
                .needs(MANAGEMENT)
                .destroys()
                .action(LEFT, call -> {
                    Leftover.Key key = new Leftover.Key(
                            ActionFields.plugin(call.values()),
                            call.values().parsed("externalVolumeId", ExternalVolumeId::of));
                    String reason = ActionFields.reason(call.values());
                    boolean store = !call.values().flag("dryRun");
                    return managed(call, leftovers -> {
                        Optional<Left> row = leftovers.stream()
                                .filter(found -> found.key().equals(key))
                                .findFirst()
                                .map(found -> Left.of(store, found));
                        return store
                                ? Futures.map(
                                        call.operations().operator().overrideLeftover(key, reason),
                                        done -> row.orElse(new Left(true, List.of(), List.of())))
                                : CompletableFuture.completedFuture(
                                        row.orElseThrow(() -> absent("leftover", key.pluginId())));
                    });
                });
    }

    private static Parameter externalVolumeId() {
        return Parameter.path("externalVolumeId", "The provider's id of the volume.");
    }

    private static FailureException absent(String what, PluginId plugin) {
        return new FailureException(
                Failure.of("not-found", 404, "plugin " + plugin + " has no such " + what + "; list them"));
    }

    private static Endpoint forgetWithdrawnCreation() {
        return Endpoint.post(
                        "withdrawn-creation forget",
                        "/v1/plugins/{plugin}/withdrawn-creations/{name}/forget",
                        "State that the provider has no volume of a withdrawn creation")
                .description("Removes the record: if the statement is wrong, the provider has a volume that no one"
                        + " knows. The name can be used again.")
                .with(
                        ActionFields.PLUGIN,
                        Parameter.path("name", "The name that CreateVolume sent."),
                        ActionFields.REASON,
                        ActionFields.DRY_RUN)
                .needs(MANAGEMENT)
                .destroys()
                .action(WITHDRAWN, call -> {
                    WithdrawnCreation.Key key = ActionFields.valid(
                            "name",
                            () -> new WithdrawnCreation.Key(
                                    ActionFields.plugin(call.values()),
                                    call.values().text("name")));
                    String reason = ActionFields.reason(call.values());
                    return call.values().flag("dryRun")
                            ? Futures.map(
                                    call.operations().operator().withdrawnCreations(),
                                    rows -> new Withdrawn(
                                            false,
                                            Optional.of(rows.stream()
                                                    .filter(row -> row.key().equals(key))
                                                    .findFirst()
                                                    .orElseThrow(() -> absent("withdrawn creation", key.pluginId())))))
                            : Futures.map(
                                    call.operations().operator().forgetWithdrawnCreation(key, reason),
                                    done -> new Withdrawn(true, Optional.empty()));
                });
    }
}
