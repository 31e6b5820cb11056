package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.command.TemplateDifference;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Applies the commands about volumes. */
final class VolumeHandler implements VolumeCommand.Cases<Outcome> {
    private final Step step;

    VolumeHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome registerVolume(VolumeCommand.RegisterVolume command) {
        Optional<Problem> replaced = replacedDriver(command);
        if (replaced.isPresent()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + command.key(), List.of(replaced.get())));
        }
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isPresent()) {
            return command.origin() == VolumeOrigin.CREATED
                    ? repeat(known.get(), volume -> differences(volume, command.spec()))
                    : merge(known.get(), command.spec());
        }
        return register(command, null, null, null);
    }

    @Override
    public Outcome createFromClass(VolumeCommand.CreateFromClass command) {
        Optional<Volume> known = step.reader().volume(command.key());
        if (known.isPresent()) {
            return repeat(known.get(), volume -> TemplateDifference.of(volume, command.template()));
        }
        ClassUse use = new ClassUse(step.reader(), command.key(), command.template());
        Optional<VolumeClass> found = use.found();
        List<Problem> problems = new ArrayList<>(found.map(use::problems).orElseGet(() -> List.of(use.notFound())));
        if (found.filter(row -> row.kind() == VolumeKind.INLINE).isPresent()) {
            problems.add(new Problem(
                    "className",
                    "is " + command.template().className() + ", a class of kind INLINE, whose volumes only claims make",
                    "use the class in the template of a claim"));
        }
        if (found.isEmpty() || !problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + command.key(), problems));
        }
        return register(
                new VolumeCommand.RegisterVolume(
                        command.key(),
                        placed(command.key(), found.get(), use.spec(found.get())),
                        VolumeOrigin.CREATED,
                        ProviderFacts.none(),
                        command.at()),
                use.origin(found.get()),
                null,
                null);
    }

    /** Adds the topologies to the specification of a volume whose place is chosen when it is created. */
    private VolumeSpec placed(VolumeKey key, VolumeClass row, VolumeSpec spec) {
        return TemplatePlace.atCreation(step.reader(), row, key)
                .map(places ->
                        spec.toBuilder().accessibilityRequirements(places).restore())
                .orElse(spec);
    }

    /** Adds a volume that is made for a claim. */
    Outcome make(Volume made, FirstClaim firstClaim, Instant at) {
        return register(
                new VolumeCommand.RegisterVolume(made.key(), made.spec(), made.origin(), ProviderFacts.none(), at),
                made.classOrigin().orElseThrow(),
                firstClaim,
                made.owner().orElse(null));
    }

    /** Adds a volume that the state does not have. */
    private Outcome register(
            VolumeCommand.RegisterVolume command,
            @Nullable ClassOrigin classOrigin,
            @Nullable FirstClaim firstClaim,
            @Nullable VolumeOwner owner) {
        QuotaCheck quotas = QuotaCheck.before(step.reader(), command.key(), Optional.ofNullable(classOrigin));
        List<Problem> problems = problems(command);
        VolumeSpec asked = command.origin() == VolumeOrigin.CREATED
                ? SourceSnapshot.resolved(step.reader(), command.spec())
                : command.spec();
        if (command.origin() == VolumeOrigin.CREATED) {
            quotas.withoutSize(asked).ifPresent(problems::add);
        }
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + command.key(), problems));
        }
        boolean created = command.origin() != VolumeOrigin.CREATED
                || command.facts().externalVolumeId().isPresent();
        VolumeSpec spec = switch (command.origin()) {
            case REGISTERED -> command.spec();
            case CREATED -> CreationName.named(command.key(), asked, step.index(), step.at());
            case INLINE ->
                command.spec().toBuilder()
                        .externalVolumeId(
                                ExternalVolumeId.of(InlinePlugins.externalId(command.key(), step.index(), step.at())))
                        .restore();
        };
        Volume.Builder builder = Volume.builder(command.key(), spec, step.index(), step.at())
                .origin(command.origin())
                .classOrigin(classOrigin)
                .firstClaim(firstClaim)
                .owner(owner)
                .phase(created ? VolumePhase.AVAILABLE : VolumePhase.CREATING)
                .facts(withTopology(command))
                .extraMetadata(!created && wantsMetadata(spec.pluginId()));
        Volume candidate = builder.build();
        Optional<Problem> large = tooManyParameters(candidate);
        if (large.isPresent()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + command.key(), List.of(large.get())));
        }
        Optional<Rejection> conflict = externalIdConflict(candidate);
        if (conflict.isPresent()) {
            return Step.rejected(conflict.get());
        }
        LeftoverHandler.takeOver(step, candidate, builder);
        WithdrawnCreationHandler.found(step, candidate);
        Optional<Rejection> exceeded = quotas.exceeded(null, candidate);
        if (exceeded.isPresent()) {
            return Step.rejected(exceeded.get());
        }
        step.effect(new Effect.VolumeStored(step.store(builder), true));
        return step.accepted();
    }

    private boolean wantsMetadata(PluginId pluginId) {
        return step.reader()
                .pluginProfile(pluginId)
                .filter(PluginProfile::extraMetadata)
                .isPresent();
    }

    /** Returns the problem with parameters that are too large together with the extra metadata (R16). */
    private static Optional<Problem> tooManyParameters(Volume volume) {
        CsiLimits limits = new CsiLimits();
        if (volume.extraMetadata()) {
            limits.map("parameters", volume.creationParameters());
        }
        return limits.problems().stream()
                .findFirst()
                .map(large -> new Problem(
                        large.field(),
                        large.problem() + " with the extra metadata that the profile of the plugin adds",
                        large.remedy()));
    }

    /** Returns the problem of a declaration that another driver has confirmed than the one that its plugin runs now. */
    private Optional<Problem> replacedDriver(VolumeCommand.RegisterVolume command) {
        PluginId pluginId = command.spec().pluginId();
        Optional<PluginFacts> facts = step.reader().facts(pluginId);
        Optional<String> driver = facts.flatMap(PluginFacts::provider).filter(name -> !name.isEmpty());
        if (command.driver().isEmpty() || (facts.isPresent() && driver.isEmpty()) || driver.equals(command.driver())) {
            return Optional.empty();
        }
        return Optional.of(new Problem(
                "pluginId",
                "is " + pluginId + ", which driver " + command.driver().get() + " has answered for, and which "
                        + driver.map(name -> "is driver " + name).orElse("no instance runs") + " now",
                "register the volume again"));
    }

    private static List<Problem> differences(Volume volume, VolumeSpec declared) {
        List<Problem> differences = new ArrayList<>(VolumeMerge.repeat(volume, declared));
        volume.owner()
                .map(owner -> new Problem("key", "is the key of a volume that belongs to " + owner, "use another key"))
                .ifPresent(differences::add);
        return differences;
    }

    /**
     * Handles another declaration of a volume that is being created or was created. An equal declaration is accepted. A
     * different declaration is rejected, because CreateVolume was sent for the first declaration.
     * A volume that was made for a claim stays now, also if the claim does not take it. The creation of a volume of a
     * restored state continues.
     */
    private Outcome repeat(Volume volume, Function<Volume, List<Problem>> differences) {
        if (volume.phase() == VolumePhase.DELETING) {
            return Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        List<Problem> conflicts = differences.apply(volume);
        if (!conflicts.isEmpty()) {
            return Step.rejected(new Rejection.ConflictingFields(volume.key(), conflicts));
        }
        Optional<FirstClaim> unused = volume.isUnused() ? volume.firstClaim() : Optional.empty();
        Volume kept = unused.map(claim -> step.store(volume.toBuilder()
                        .firstClaim(new FirstClaim(claim.allocationId(), claim.nodeId(), claim.together(), true))))
                .orElse(volume);
        Volume now = Verifications.requestedAgain(step, kept);
        step.effect(new Effect.VolumeStored(now, false));
        return step.accepted();
    }

    private List<Problem> problems(VolumeCommand.RegisterVolume command) {
        if (command.origin() == VolumeOrigin.INLINE) {
            // The class and the template are checked; the volume context may have keys that users cannot give.
            return new ArrayList<>();
        }
        List<Problem> problems = new ArrayList<>(command.spec().problems());
        if (command.origin() == VolumeOrigin.CREATED) {
            CreationName.conflict(step.reader(), command.key(), command.spec()).ifPresent(problems::add);
            leavingSource(command.spec()).ifPresent(problems::add);
            problems.addAll(SourceSnapshot.problems(step.reader(), command.spec()));
        }
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
                    "leave it out: the provider returns it (R57)"));
        }
        return problems;
    }

    /** Returns the problem with a source that is being deleted: its deletion waits only for earlier creations. */
    private Optional<Problem> leavingSource(VolumeSpec spec) {
        return spec.contentSource()
                .filter(VolumeContentSource.VolumeSource.class::isInstance)
                .map(VolumeContentSource.VolumeSource.class::cast)
                .flatMap(source -> step.reader().volumeByExternalId(spec.pluginId(), source.volumeId()))
                .flatMap(step.reader()::volume)
                .filter(source -> source.phase() == VolumePhase.DELETING)
                .map(source -> new Problem(
                        "contentSource",
                        "is volume " + source.key() + ", which is being deleted",
                        "use another source, or withdraw the deletion"));
    }

    /**
     * Returns the facts of a registered volume. If they contain no topology, the requisite topology of the declaration
     * is added.
     */
    private static ProviderFacts withTopology(VolumeCommand.RegisterVolume command) {
        boolean reported = !command.facts().accessibleTopology().isEmpty();
        return reported || command.origin() == VolumeOrigin.CREATED
                ? command.facts()
                : command.spec()
                        .accessibilityRequirements()
                        .map(topology -> command.facts().toBuilder()
                                .accessibleTopology(topology.requisite())
                                .build())
                        .orElse(command.facts());
    }

    @Override
    public Outcome updateVolume(VolumeCommand.UpdateVolume command) {
        return step.withVolume(
                command.key(),
                volume -> checkModifyIndex(volume, command.ifModifyIndex())
                        .orElseGet(() -> merge(volume, command.spec())));
    }

    private static Optional<Outcome> checkModifyIndex(Volume volume, long ifModifyIndex) {
        return ifModifyIndex == 0 || ifModifyIndex == volume.modifyIndex()
                ? Optional.empty()
                : Optional.of(
                        Step.rejected(new Rejection.VolumeChanged(volume.key(), ifModifyIndex, volume.modifyIndex())));
    }

    private Outcome merge(Volume volume, VolumeSpec declared) {
        if (volume.isInline()) {
            return unchangeable(volume);
        }
        List<Problem> problems = declared.problems();
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("volume " + volume.key(), problems));
        }
        if (volume.phase() == VolumePhase.DELETING) {
            return Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        return DeclarationMerge.of(volume, declared, merged -> {
            if (merged.equals(volume.spec())) {
                step.effect(new Effect.VolumeStored(volume, false));
                return step.accepted();
            }
            Volume.Builder builder = volume.toBuilder().spec(merged);
            return QuotaCheck.before(step.reader(), volume.key(), volume.classOrigin())
                    .exceeded(volume, builder.build())
                    .map(Step::rejected)
                    .orElseGet(() -> {
                        step.effect(new Effect.VolumeStored(step.store(builder), false));
                        return step.accepted();
                    });
        });
    }

    /** Rejects a change of an inline volume, which has only what its template and its class say. */
    static Outcome unchangeable(Volume volume) {
        return Step.rejected(new Rejection.InvalidRequest(
                "volume " + volume.key(),
                List.of(new Problem(
                        "key",
                        "names an inline volume, which ends with its allocation and cannot be changed",
                        "use another key"))));
    }

    @Override
    public Outcome recordProviderFacts(VolumeCommand.RecordProviderFacts command) {
        VolumeKey key = GivenUp.presentKey(step.reader(), command.key(), command.ifCreateIndex());
        return step.withVolume(key, volume -> recordFacts(volume, command));
    }

    private Outcome recordFacts(Volume volume, VolumeCommand.RecordProviderFacts command) {
        if (command.ifCreateIndex() != 0 && command.ifCreateIndex() != volume.createIndex()) {
            // Rejects the reported facts: their volume has been removed, and another volume has its key now.
            return notFound(command.key());
        }
        Optional<ExternalVolumeId> reported = command.facts().externalVolumeId();
        if (reported.isPresent()
                && volume.externalVolumeId().isPresent()
                && !reported.equals(volume.externalVolumeId())) {
            return Step.rejected(new Rejection.ConflictingFields(
                    command.key(),
                    List.of(new Problem(
                            "externalVolumeId",
                            "is " + reported.get() + " but the external id of the volume is "
                                    + volume.externalVolumeId().get(),
                            "an id never changes; check which volume the provider reported"))));
        }
        Volume.Builder builder = volume.toBuilder().facts(merged(volume, command.facts()));
        boolean created = builder.build().externalVolumeId().isPresent();
        if (volume.phase() == VolumePhase.CREATING) {
            builder.phase(created ? VolumePhase.AVAILABLE : VolumePhase.CREATING);
            if (created) {
                builder.retry(Retry.none());
            }
            if (created && isPlaced(volume)) {
                // No further call asks for the topologies, which may be those of hundreds of nodes.
                builder.spec(TemplatePlace.settled(volume.spec()));
            }
        }
        Volume candidate = builder.build();
        if (candidate.equals(volume)) {
            step.effect(new Effect.VolumeStored(volume, false));
            return step.accepted();
        }
        Optional<Rejection> conflict = externalIdConflict(candidate);
        if (conflict.isPresent()) {
            return Step.rejected(conflict.get());
        }
        LeftoverHandler.takeOver(step, candidate, builder);
        WithdrawnCreationHandler.found(step, candidate);
        QuotaCheck.before(step.reader(), volume.key(), volume.classOrigin()).overByProvider(step, volume, candidate);
        AllocationEndings.withoutOwner(step, builder);
        step.effect(new Effect.VolumeStored(step.store(builder), false));
        return step.accepted();
    }

    /** Returns whether the topologies of a volume are those that the engine asks for, and not those of the host. */
    private static boolean isPlaced(Volume volume) {
        return volume.classOrigin().isPresent()
                && volume.spec()
                        .accessibilityRequirements()
                        .filter(asked -> asked.preferred().size() == 1)
                        .isPresent();
    }

    /**
     * Merges reported facts into the known ones. An id, context or source that is missing in the report keeps its known
     * value, because these values never change (R57). The capacity never decreases: a smaller value is an older report,
     * from before an expansion.
     */
    private static ProviderFacts merged(Volume volume, ProviderFacts reported) {
        ProviderFacts known = volume.facts();
        return reported.toBuilder()
                .externalVolumeId(reported.externalVolumeId()
                        .or(known::externalVolumeId)
                        .filter(id -> !Optional.of(id).equals(volume.spec().externalVolumeId()))
                        .orElse(null))
                .volumeContext(reported.volumeContext().isEmpty() ? known.volumeContext() : reported.volumeContext())
                .contentSource(reported.contentSource().or(known::contentSource).orElse(null))
                .capacityBytes(Math.max(reported.capacityBytes(), known.capacityBytes()))
                .build();
    }

    private Optional<Rejection> externalIdConflict(Volume candidate) {
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
        return step.withVolume(command.key(), volume -> setPhase(volume, command));
    }

    private Outcome setPhase(Volume volume, VolumeCommand.SetVolumePhase command) {
        Optional<Outcome> changed = checkModifyIndex(volume, command.ifModifyIndex());
        if (changed.isPresent()) {
            return changed.get();
        }
        VolumePhase next = command.phase();
        boolean idUnknown =
                next == VolumePhase.AVAILABLE && volume.externalVolumeId().isEmpty();
        // A volume that was given up is deleted, and so is one whose owner has ended.
        boolean leaves = next == VolumePhase.AVAILABLE
                && volume.phase() == VolumePhase.DELETING
                && (volume.formerKey().isPresent() || AllocationEndings.hasNoOwner(step, volume));
        if (!volume.phase().mayBecome(next) || idUnknown || leaves) {
            return Step.rejected(new Rejection.WrongPhase(command.key(), volume.phase(), next));
        }
        if (next == VolumePhase.DELETING && volume.inUse()) {
            return inUse(volume);
        }
        if (next == VolumePhase.DELETING && volume.isInline()) {
            return remove(volume);
        }
        Volume now = volume.phase() == next
                ? volume
                : step.store(volume.toBuilder().phase(next).retry(Retry.none()));
        step.effect(new Effect.VolumeStored(now, false));
        return step.accepted();
    }

    @Override
    public Outcome deregisterVolume(VolumeCommand.DeregisterVolume command) {
        return step.withVolume(command.key(), volume -> deregister(volume, command));
    }

    private Outcome deregister(Volume volume, VolumeCommand.DeregisterVolume command) {
        Optional<Outcome> changed = checkModifyIndex(volume, command.ifModifyIndex());
        if (changed.isPresent()) {
            return changed.get();
        }
        if (volume.inUse()) {
            return inUse(volume);
        }
        if (!command.force() && volume.phase() == VolumePhase.CREATING) {
            return Step.rejected(new Rejection.CreationUnfinished(command.key()));
        }
        command.refusal().ifPresent(reason -> {
            refused(volume, reason);
            GivenUp.discardOthers(step, volume);
        });
        return remove(volume);
    }

    /** Keeps the reason for callers that wait for the volume at other servers, and removes the oldest reasons. */
    private void refused(Volume volume, RefusedCreation.Reason reason) {
        step.writer()
                .put(
                        RowType.REFUSED_CREATIONS,
                        new RefusedCreation(volume.createIndex(), volume.key(), reason, step.at()));
        List<RefusedCreation> all = Step.collect(step.reader().rows(RowType.REFUSED_CREATIONS));
        for (RefusedCreation old : all.subList(0, Math.max(0, all.size() - RefusedCreation.KEPT))) {
            step.writer().remove(RowType.REFUSED_CREATIONS, old.createIndex());
        }
    }

    /** Removes the row of a volume. */
    Outcome remove(Volume volume) {
        step.writer().removeVolume(volume.key());
        step.effect(new Effect.VolumeRemoved(volume.key(), volume.claims().holders(), attachedOn(volume)));
        TreeSet<NodeId> nodes = new TreeSet<>(volume.claims().nodeIds());
        volume.firstClaim().map(FirstClaim::nodeId).ifPresent(nodes::add);
        nodes.addAll(attachedOn(volume));
        nodes.forEach(node -> UnreferencedRows.removeGoneNode(step, node));
        UnreferencedRows.removeFacts(step, volume.pluginId());
        return step.accepted();
    }

    @Override
    public Outcome forgetVolume(VolumeCommand.ForgetVolume command) {
        return step.withVolume(command.key(), volume -> forget(volume, command));
    }

    private Outcome forget(Volume volume, VolumeCommand.ForgetVolume command) {
        Optional<Outcome> changed = checkModifyIndex(volume, command.ifModifyIndex());
        if (changed.isPresent()) {
            return changed.get();
        }
        if (!allAllocationsEnded(volume)) {
            return inUse(volume);
        }
        OperatorOverride forgotten = new OperatorOverride(command.operator(), command.reason(), step.at());
        LeftoverHandler.leave(step, volume, forgotten);
        WithdrawnCreationHandler.leave(step, volume, forgotten);
        return remove(volume);
    }

    @Override
    public Outcome withdrawCreation(VolumeCommand.WithdrawCreation command) {
        Optional<Volume> known =
                step.reader().volume(command.key()).filter(volume -> volume.createIndex() == command.ifCreateIndex());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        Volume volume = known.get();
        if (volume.externalVolumeId().isPresent()) {
            return Step.rejected(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.CREATING));
        }
        WithdrawnCreationHandler.leave(
                step, volume, new OperatorOverride(command.operator(), command.reason(), step.at()));
        return remove(volume);
    }

    /** Returns whether every claiming allocation has ended or was removed by the host. */
    private boolean allAllocationsEnded(Volume volume) {
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
    public Outcome discardUnused(VolumeCommand.DiscardUnused command) {
        Optional<Volume> unused = step.reader()
                .volume(command.key())
                .filter(volume -> volume.createIndex() == command.ifCreateIndex())
                .filter(volume -> volume.firstClaim().isPresent() && !volume.inUse());
        if (unused.isEmpty()) {
            return notFound(command.key());
        }
        command.refusal().ifPresent(reason -> refused(unused.get(), reason));
        GivenUp.discardAll(step, unused.get());
        return step.accepted();
    }

    @Override
    public Outcome recordVerified(VolumeCommand.RecordVerified command) {
        Optional<Volume> known =
                step.reader().volume(command.key()).filter(volume -> volume.createIndex() == command.ifCreateIndex());
        if (known.isEmpty()) {
            return notFound(command.key());
        }
        boolean asked = known.get()
                .verification()
                .filter(verification -> verification.restoredIndex() == command.restoredIndex()
                        && verification.stage() == Verification.Stage.ASKED)
                .isPresent();
        if (asked) {
            step.effect(new Effect.VolumeStored(
                    step.store(known.get().toBuilder()
                            .verification(Verification.confirmed(command.restoredIndex(), step.at()))),
                    false));
        }
        return step.accepted();
    }

    @Override
    public Outcome markForGc(VolumeCommand.MarkForGc command) {
        return step.withVolume(command.key(), volume -> {
            step.effect(new Effect.VolumeStored(
                    step.store(Verifications.askedAgain(step.reader(), volume).toBuilder()), false));
            return step.accepted();
        });
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
