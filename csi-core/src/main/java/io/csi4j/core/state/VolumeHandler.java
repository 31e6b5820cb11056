package io.csi4j.core.state;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeMerge;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What the commands about a volume itself do. */
final class VolumeHandler implements VolumeCommand.Cases<Outcome> {
    private final Step step;

    VolumeHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome registerVolume(VolumeCommand.RegisterVolume command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isPresent()) {
            return command.origin() == VolumeOrigin.CREATED
                    ? repeat(known.get(), command.spec())
                    : merge(known.get(), command.spec());
        }
        List<Problem> problems = problems(command);
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + command.key(), problems));
        }
        boolean made = command.origin() == VolumeOrigin.REGISTERED
                || command.facts().externalVolumeId().isPresent();
        Volume.Builder builder = Volume.builder(command.key(), command.spec(), step.index(), step.at())
                .origin(command.origin())
                .phase(made ? VolumePhase.AVAILABLE : VolumePhase.CREATING)
                .facts(placed(command));
        Volume candidate = builder.build();
        Optional<Rejection> alias = alias(candidate);
        if (alias.isPresent()) {
            return Step.rejected(alias.get());
        }
        step.effect(new Effect.VolumeStored(step.store(builder), true));
        return step.accepted();
    }

    /** A creation of a volume that exists changes nothing: the provider was asked for that one, and for no other. */
    private Outcome repeat(Volume volume, VolumeSpec declared) {
        if (volume.phase() == VolumePhase.DELETING) {
            return Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        List<Problem> conflicts = VolumeMerge.repeat(volume, declared);
        if (!conflicts.isEmpty()) {
            return Step.rejected(new Rejection.ConflictingFields(volume.key(), conflicts));
        }
        step.effect(new Effect.VolumeStored(volume, false));
        return step.accepted();
    }

    private static List<Problem> problems(VolumeCommand.RegisterVolume command) {
        List<Problem> problems = new ArrayList<>(command.spec().problems());
        if (command.origin() == VolumeOrigin.CREATED
                && command.spec().externalVolumeId().isPresent()) {
            problems.add(new Problem(
                    "externalVolumeId",
                    "is declared for a volume that is to be created",
                    "leave it out, or register the volume as one the provider has"));
        }
        if (command.origin() == VolumeOrigin.CREATED
                && !command.spec().volumeContext().isEmpty()) {
            problems.add(new Problem(
                    "volumeContext",
                    "is declared for a volume that is to be created",
                    "leave it out: the provider gives it (R57)"));
        }
        return problems;
    }

    /** A volume the provider has is where the host says it is, unless the provider told better. */
    private static ProviderFacts placed(VolumeCommand.RegisterVolume command) {
        boolean told = !command.facts().accessibleTopology().isEmpty();
        return told || command.origin() == VolumeOrigin.CREATED
                ? command.facts()
                : command.spec()
                        .accessibilityRequirements()
                        .map(wish -> command.facts().toBuilder()
                                .accessibleTopology(wish.requisite())
                                .build())
                        .orElse(command.facts());
    }

    @Override
    public Outcome updateVolume(VolumeCommand.UpdateVolume command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        return changed(known.get(), command.ifModifyIndex()).orElseGet(() -> merge(known.get(), command.spec()));
    }

    private static Optional<Outcome> changed(Volume volume, long ifModifyIndex) {
        return ifModifyIndex == 0 || ifModifyIndex == volume.modifyIndex()
                ? Optional.empty()
                : Optional.of(
                        Step.rejected(new Rejection.VolumeChanged(volume.key(), ifModifyIndex, volume.modifyIndex())));
    }

    private Outcome merge(Volume volume, VolumeSpec declared) {
        List<Problem> problems = declared.problems();
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + volume.key(), problems));
        }
        if (volume.phase() == VolumePhase.DELETING) {
            return Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        return Merging.of(volume, declared, merged -> {
            Volume now = merged.equals(volume.spec())
                    ? volume
                    : step.store(volume.toBuilder().spec(merged));
            step.effect(new Effect.VolumeStored(now, false));
            return step.accepted();
        });
    }

    @Override
    public Outcome recordProviderFacts(VolumeCommand.RecordProviderFacts command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        Volume volume = known.get();
        if (command.ifCreateIndex() != 0 && command.ifCreateIndex() != volume.createIndex()) {
            // What is told is about one that was forgotten, and another one has its name.
            return notFound(command.key());
        }
        Optional<ExternalVolumeId> told = command.facts().externalVolumeId();
        if (told.isPresent() && volume.externalVolumeId().isPresent() && !told.equals(volume.externalVolumeId())) {
            return Step.rejected(new Rejection.ConflictingFields(
                    command.key(),
                    List.of(new Problem(
                            "externalVolumeId",
                            "is " + told.get() + " but the volume stands for "
                                    + volume.externalVolumeId().get(),
                            "an id never changes; look which volume the provider spoke of"))));
        }
        Volume.Builder builder = volume.toBuilder().facts(kept(volume, command.facts()));
        boolean made = builder.build().externalVolumeId().isPresent();
        if (volume.phase() == VolumePhase.CREATING) {
            builder.phase(made ? VolumePhase.AVAILABLE : VolumePhase.CREATING);
            if (made) {
                builder.retry(Retry.none());
            }
        }
        Volume candidate = builder.build();
        if (candidate.equals(volume)) {
            step.effect(new Effect.VolumeStored(volume, false));
            return step.accepted();
        }
        Optional<Rejection> alias = alias(candidate);
        if (alias.isPresent()) {
            return Step.rejected(alias.get());
        }
        step.effect(new Effect.VolumeStored(step.store(builder), false));
        return step.accepted();
    }

    /**
     * What the provider leaves out this time was not taken back: ids, contexts and sources are for good (R57). Nor does a
     * volume shrink: a smaller size was told before it grew.
     */
    private static ProviderFacts kept(Volume volume, ProviderFacts told) {
        ProviderFacts known = volume.facts();
        return told.toBuilder()
                .externalVolumeId(told.externalVolumeId()
                        .or(known::externalVolumeId)
                        .filter(id -> !Optional.of(id).equals(volume.spec().externalVolumeId()))
                        .orElse(null))
                .volumeContext(told.volumeContext().isEmpty() ? known.volumeContext() : told.volumeContext())
                .contentSource(told.contentSource().or(known::contentSource).orElse(null))
                .capacityBytes(Math.max(told.capacityBytes(), known.capacityBytes()))
                .build();
    }

    private Optional<Rejection> alias(Volume candidate) {
        return candidate
                .externalVolumeId()
                .flatMap(id -> step.reader()
                        .volumeByExternalId(candidate.pluginId(), id)
                        .filter(holder -> !holder.equals(candidate.key()))
                        .map(holder ->
                                new Rejection.ExternalIdTaken(candidate.key(), candidate.pluginId(), id, holder)));
    }

    @Override
    public Outcome setVolumePhase(VolumeCommand.SetVolumePhase command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        Volume volume = known.get();
        Optional<Outcome> changed = changed(volume, command.ifModifyIndex());
        if (changed.isPresent()) {
            return changed.get();
        }
        VolumePhase next = command.phase();
        boolean nobodyKnowsIt =
                next == VolumePhase.AVAILABLE && volume.externalVolumeId().isEmpty();
        if (!volume.phase().mayBecome(next) || nobodyKnowsIt) {
            return Step.rejected(new Rejection.WrongPhase(command.key(), volume.phase(), next));
        }
        if (next == VolumePhase.DELETING && volume.inUse()) {
            return inUse(volume);
        }
        Volume now = volume.phase() == next
                ? volume
                : step.store(volume.toBuilder().phase(next).retry(Retry.none()));
        step.effect(new Effect.VolumeStored(now, false));
        return step.accepted();
    }

    @Override
    public Outcome beginCall(VolumeCommand.BeginCall command) {
        Optional<Volume> known =
                step.reader().volume(command.key()).filter(volume -> volume.createIndex() == command.ifCreateIndex());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        Volume volume = known.get();
        if (volume.phase() != command.phase() || volume.phase() == VolumePhase.AVAILABLE) {
            return Step.rejected(new Rejection.WrongPhase(command.key(), volume.phase(), command.phase()));
        }
        Volume now = step.store(volume.toBuilder().retry(volume.retry().begun(step.index())));
        step.effect(new Effect.VolumeStored(now, false));
        return step.accepted();
    }

    @Override
    public Outcome recordCallError(VolumeCommand.RecordCallError command) {
        Optional<Volume> known = step.reader()
                .volume(command.key())
                .filter(volume -> volume.createIndex() == command.ifCreateIndex()
                        && volume.phase() == command.phase()
                        && volume.phase() != VolumePhase.AVAILABLE);
        known.ifPresent(volume -> {
            Retry retry = volume.retry().plus(command.attempt());
            Volume now = retry.equals(volume.retry())
                    ? volume
                    : step.store(volume.toBuilder().retry(retry));
            step.effect(new Effect.VolumeStored(now, false));
        });
        return step.accepted();
    }

    @Override
    public Outcome deregisterVolume(VolumeCommand.DeregisterVolume command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        Volume volume = known.get();
        Optional<Outcome> changed = changed(volume, command.ifModifyIndex());
        if (changed.isPresent()) {
            return changed.get();
        }
        if (command.force() ? !forgettable(volume) : volume.inUse()) {
            return inUse(volume);
        }
        if (!command.force() && volume.phase() == VolumePhase.CREATING) {
            return Step.rejected(new Rejection.CreationUnfinished(command.key()));
        }
        step.writer().removeVolume(command.key());
        step.effect(new Effect.VolumeRemoved(command.key(), volume.claims().holders(), attachedOn(volume)));
        TreeSet<NodeId> nodes = new TreeSet<>(volume.claims().nodeIds());
        nodes.addAll(attachedOn(volume));
        nodes.forEach(node -> Leftovers.node(step, node));
        Leftovers.facts(step, volume.pluginId());
        return step.accepted();
    }

    /** Only what nobody uses any more may be forgotten: every claimant has ended, or the host forgot it. */
    private boolean forgettable(Volume volume) {
        for (Claim claim : volume.claims()) {
            boolean alive = step.reader()
                    .allocation(claim.allocationId())
                    .filter(allocation -> !allocation.ended())
                    .isPresent();
            if (alive) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Outcome markForGc(VolumeCommand.MarkForGc command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        step.effect(new Effect.VolumeStored(step.store(known.get().toBuilder()), false));
        return step.accepted();
    }

    private static Outcome inUse(Volume volume) {
        List<Holder> holders = volume.claims().holders();
        return Step.rejected(new Rejection.VolumeInUse(volume.key(), holders, attachedOn(volume)));
    }

    private static List<NodeId> attachedOn(Volume volume) {
        List<NodeId> nodes = new ArrayList<>();
        for (Attachment attachment : volume.attachments()) {
            nodes.add(attachment.nodeId());
        }
        return nodes;
    }

    private static Outcome notFound(VolumeKey key) {
        return Step.rejected(new Rejection.VolumeNotFound(key));
    }
}
