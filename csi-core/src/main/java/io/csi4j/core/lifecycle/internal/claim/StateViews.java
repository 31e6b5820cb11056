package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reduces volumes and plugins to the parts that a caller may see: without objects in namespaces that the caller may not
 * read, and without sensitive values. Each result comes from one snapshot of the state.
 */
public final class StateViews {
    private final Operations operations;

    public StateViews(Operations operations) {
        this.operations = operations;
    }

    public Optional<VolumeView> volume(Caller caller, VolumeKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        StateReader state = operations.state();
        return VolumeView.of(state, key).map(view -> redacted(caller, state, view));
    }

    /** Returns the view of a volume for a caller who may read the volume. */
    public VolumeView redacted(Caller caller, StateReader state, VolumeView view) {
        PluginView plugin = operations.permissions().allows(caller, Access.of(Permission.PLUGIN_READ))
                ? redacted(caller, state, view.plugin())
                : view.plugin().outline();
        return new VolumeView(
                withoutSensitive(view.volume()),
                plugin,
                view.claims().stream()
                        .map(claim -> new VolumeView.ClaimView(withoutFlags(claim.claim()), claim.allocation()))
                        .toList());
    }

    /**
     * Returns a plugin for a caller who may read plugins, with the allocations of namespaces that the caller may read.
     */
    public PluginView redacted(Caller caller, StateReader state, PluginView plugin) {
        return plugin.withVisibleAllocations(id -> operations
                .permissions()
                .allows(
                        caller,
                        state.allocation(id)
                                .map(known -> Access.in(known.namespace(), Permission.VOLUME_READ))
                                .orElse(Access.of(Permission.MANAGEMENT))));
    }

    /**
     * Returns the volume that an operation changed, as the caller of the operation may see it. A caller with MANAGEMENT
     * gets the complete volume. Any other caller gets the volume without its sensitive values.
     */
    public Volume answer(Caller caller, Volume volume) {
        return operations.permissions().allows(caller, Access.of(Permission.MANAGEMENT))
                ? volume
                : withoutSensitive(volume);
    }

    /**
     * Returns the volume without secrets, contexts, mount flags and parameters. Of a requested modification, only the
     * progress is kept.
     */
    static Volume withoutSensitive(Volume volume) {
        Attachments attachments = volume.attachments();
        for (Attachment attachment : volume.attachments()) {
            if (!attachment.publishContext().isEmpty()
                    || !attachment.mountOptions().mountFlags().isEmpty()) {
                attachments = attachments.with(attachment.toBuilder()
                        .publishContext(PublishContext.empty())
                        .mountOptions(attachment.mountOptions().withoutFlags())
                        .build());
            }
        }
        Claims claims = volume.claims();
        for (Claim claim : volume.claims()) {
            if (!claim.mountOptions().mountFlags().isEmpty()) {
                claims = claims.with(withoutFlags(claim));
            }
        }
        return volume.toBuilder()
                .spec(volume.spec().toBuilder()
                        .secrets(Secrets.empty())
                        .volumeContext(VolumeContext.empty())
                        .mountOptions(volume.spec().mountOptions().withoutFlags())
                        .parameters(Map.of())
                        .mutableParameters(Map.of())
                        .restore())
                .facts(volume.facts().toBuilder()
                        .volumeContext(VolumeContext.empty())
                        .build())
                .claims(claims)
                .attachments(attachments)
                .modification(volume.modification()
                        .map(change -> Modification.restore(Map.of(), change.index(), change.retry()))
                        .orElse(null))
                .build();
    }

    /** Returns the claim without its mount flags. */
    static Claim withoutFlags(Claim claim) {
        return claim.toBuilder()
                .mountOptions(claim.mountOptions().withoutFlags())
                .build();
    }

    /** Returns the waiting claim without the mount flags of its requests. */
    static WaitingClaim withoutFlags(WaitingClaim waiting) {
        List<ClaimRequest> requests = waiting.requests().stream()
                .map(request -> new ClaimRequest(
                        request.volume(),
                        request.mode(),
                        request.capability(),
                        request.mountOptions().withoutFlags(),
                        request.template()))
                .toList();
        return new WaitingClaim(
                waiting.allocationId(),
                requests,
                waiting.since(),
                waiting.volume(),
                waiting.reason(),
                waiting.behind(),
                waiting.cause());
    }
}
