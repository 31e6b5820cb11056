package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.internal.command.TemplateDifference;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of a claim that have templates and are not in the state. All of them are made by one command, or none: no
 * volume is made while another one of the same claim is refused or has to wait for more than its creation.
 */
public final class TemplateVolumes {
    /** The most volumes that one claim makes: each of them names all. */
    static final int MOST_TOGETHER = 64;

    private final StateReader state;
    private final Allocation allocation;
    private final Function<Volume, PlacementFacts> facts;

    private TemplateVolumes(StateReader state, Allocation allocation, Function<Volume, PlacementFacts> facts) {
        this.state = state;
        this.allocation = allocation;
        this.facts = facts;
    }

    /**
     * A volume that can be made now.
     *
     * @param volume the volume as it would be if it were there
     * @param before the volume that has the key, and was begun for a claim that has ended; null if the key is free
     * @param reused whether the volume that has the key is the one to be made
     */
    private record Candidate(
            ClaimRequest request,
            Volume volume,
            TemplatePlace place,
            VolumeClass row,
            @Nullable Volume before,
            boolean reused) {
        /** Returns the volume as it would be; its create index is 0 if it is a new one. */
        Volume proposed() {
            return reused && before != null
                    ? Volume.builder(volume.key(), volume.spec(), before.createIndex(), before.createdAt())
                            .origin(volume.origin())
                            .classOrigin(volume.classOrigin().orElse(null))
                            .owner(volume.owner().orElse(null))
                            .build()
                    : volume;
        }
    }

    /** The volume to make, or the reason why it cannot be made. */
    private record Decision(
            Optional<Rejection> rejection, @Nullable Candidate candidate) {
        Candidate made() {
            return Objects.requireNonNull(candidate);
        }
    }

    /**
     * Makes the missing volumes of a claim; empty if none is missing, or all of them are there now. Each volume is stored before the next one is decided
     * about, so that quotas and the limits of nodes count all of them. A rejection discards them.
     */
    static Optional<Outcome> make(Step step, AllocationId claimant, List<ClaimRequest> requests) {
        List<ClaimRequest> unclaimed = requests.stream()
                .filter(request -> isMissing(step.reader(), claimant, request))
                .toList();
        if (unclaimed.isEmpty()) {
            return Optional.empty();
        }
        Optional<Allocation> allocation = step.reader().allocation(claimant);
        if (allocation.isEmpty() || allocation.get().ended()) {
            return Optional.of(Step.rejected(
                    allocation.isEmpty()
                            ? new Rejection.AllocationNotFound(claimant)
                            : new Rejection.AllocationEnded(claimant)));
        }
        var volumes = new TemplateVolumes(
                step.reader(),
                allocation.get(),
                volume ->
                        Placement.facts(step.reader(), volume, allocation.get().nodeId()));
        List<ClaimRequest> missing =
                unclaimed.stream().filter(request -> !volumes.isThere(request)).toList();
        if (missing.isEmpty()) {
            return Optional.empty();
        }
        if (missing.size() > MOST_TOGETHER) {
            return Optional.of(Step.rejected(new Rejection.InvalidRequest(
                    "claim of allocation " + claimant,
                    List.of(new Problem(
                            "requests",
                            "would make " + missing.size() + " volumes, and a claim makes at most " + MOST_TOGETHER,
                            "create some of them before, or use fewer volumes")))));
        }
        List<VolumeKey> together = missing.stream().map(ClaimRequest::volume).toList();
        List<Rejection> waits = new ArrayList<>();
        List<Rejection.InvalidRequest> invalid = new ArrayList<>();
        for (ClaimRequest request : missing) {
            Decision decision = volumes.decide(request);
            Optional<Rejection> rejection =
                    decision.rejection().or(() -> volumes.write(step, decision.made(), together));
            if (rejection.isPresent() && rejection.get() instanceof Rejection.InvalidRequest one) {
                invalid.add(one);
            } else if (rejection.isPresent() && !waits(rejection.get())) {
                return Optional.of(Step.rejected(rejection.get()));
            } else {
                rejection.ifPresent(waits::add);
            }
        }
        if (!invalid.isEmpty()) {
            return Optional.of(Step.rejected(invalid.size() == 1 ? invalid.get(0) : all(claimant, invalid)));
        }
        List<ClaimRequest> others =
                requests.stream().filter(request -> !missing.contains(request)).toList();
        for (Rejection rejection : volumes.refusals(others)) {
            if (!waits(rejection)) {
                return Optional.of(Step.rejected(rejection));
            }
            waits.add(rejection);
        }
        if (!waits.isEmpty()) {
            return Optional.of(Step.rejected(waits.get(0)));
        }
        // Inline volumes are there at once, so the same command takes the claims.
        boolean allThere = missing.stream()
                .allMatch(request -> step.reader()
                        .volume(request.volume())
                        .filter(Volume::isInline)
                        .isPresent());
        return allThere ? Optional.empty() : Optional.of(step.accepted());
    }

    /** Returns one rejection with the problems of all volumes. */
    private static Rejection all(AllocationId claimant, List<Rejection.InvalidRequest> invalid) {
        List<Problem> problems = new ArrayList<>();
        for (Rejection.InvalidRequest one : invalid) {
            one.problems()
                    .forEach(problem -> problems.add(
                            new Problem(one.subject() + ": " + problem.field(), problem.problem(), problem.remedy())));
        }
        return new Rejection.InvalidRequest("claim of allocation " + claimant, problems);
    }

    private static boolean waits(Rejection rejection) {
        return rejection instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Wait;
    }

    /**
     * The answer for a volume that a claim would make.
     *
     * @param decision whether the claim can make it now
     * @param volume the volume as it would be; empty if the class cannot be used
     */
    public record Answer(AdmissionDecision decision, Optional<Volume> volume) {}

    /**
     * Returns whether a claim could make the volume of a request.
     *
     * @param allocation the allocation that claims, also one that is not placed yet
     * @param facts the facts about the node for a volume
     * @param coming the volumes that other claims make before, and that the state does not have; quotas count them
     * @return empty if the claim makes no volume, because the state has one for the request, or it has no template
     */
    public static Optional<Answer> answer(
            StateReader state,
            Allocation allocation,
            Function<Volume, PlacementFacts> facts,
            Collection<Volume> coming,
            ClaimRequest request) {
        if (!isMissing(state, allocation.id(), request)) {
            return Optional.empty();
        }
        var volumes = new TemplateVolumes(state, allocation, facts);
        if (volumes.isThere(request)) {
            return Optional.empty();
        }
        Decision decision = volumes.decide(request);
        return Optional.of(decision.rejection()
                .or(() -> volumes.exceeded(decision.made(), coming))
                .map(reason -> new Answer(
                        reason instanceof Rejection.NotAdmitted refused
                                ? refused.decision()
                                : new AdmissionDecision.Never(NeverReason.TEMPLATE_REFUSED, reason.message()),
                        Optional.empty()))
                .orElseGet(() -> new Answer(
                        new AdmissionDecision.Admitted(false),
                        Optional.of(decision.made().proposed()))));
    }

    /** Returns the rejection of a volume that a quota does not permit. */
    private Optional<Rejection> exceeded(Candidate made, Collection<Volume> coming) {
        if (made.reused()) {
            return Optional.empty();
        }
        Volume volume = made.volume();
        QuotaCheck quotas = QuotaCheck.before(state, volume.key(), volume.classOrigin());
        Optional<Volume> freed = Optional.ofNullable(made.before()).filter(before -> !GivenUp.mayBeMade(before));
        return quotas.withoutSize(volume.spec())
                .<Rejection>map(problem -> new Rejection.InvalidRequest("volume " + volume.key(), List.of(problem)))
                .or(() -> quotas.exceededBeside(volume, coming, freed));
    }

    /** Returns whether the claim of an allocation makes the volume of a request. */
    private static boolean isMissing(StateReader state, AllocationId claimant, ClaimRequest request) {
        return request.template().isPresent()
                && state.volume(request.volume())
                        .map(volume -> isLeftBehind(state, volume, claimant))
                        .orElse(true);
    }

    /** Returns whether a volume was begun for a claim of another allocation, which has ended without using it. */
    private static boolean isLeftBehind(StateReader state, Volume volume, AllocationId claimant) {
        return volume.isUnused()
                && volume.owner().flatMap(VolumeOwner::ofAllocation).isEmpty()
                && volume.phase() != VolumePhase.DELETING
                && volume.firstClaim()
                        .map(FirstClaim::allocationId)
                        .filter(first -> !first.equals(claimant))
                        .filter(first ->
                                state.allocation(first).map(Allocation::ended).orElse(true))
                        .isPresent();
    }

    /** Returns whether a volume that was left behind is made already, and is the one that the claim would make. */
    private boolean isThere(ClaimRequest request) {
        boolean made = state.volume(request.volume())
                .filter(volume -> volume.phase() == VolumePhase.AVAILABLE)
                .isPresent();
        Candidate candidate = made ? decide(request).candidate() : null;
        return candidate != null && candidate.reused();
    }

    /**
     * Returns the reasons for which the claim cannot take its other volumes, apart from their creation. Those that come to
     * the node with the claim count there.
     */
    private List<Rejection> refusals(List<ClaimRequest> others) {
        List<Rejection> refusals = new ArrayList<>();
        Map<PluginId, Long> coming = new HashMap<>();
        for (ClaimRequest request : others) {
            Optional<Volume> known = state.volume(request.volume());
            if (known.isEmpty()) {
                refusals.add(new Rejection.VolumeNotFound(request.volume()));
                continue;
            }
            // The creation is no reason, but the volume needs room on the node when it is made.
            Volume volume = known.get().phase() == VolumePhase.CREATING
                    ? known.get().toBuilder().phase(VolumePhase.AVAILABLE).build()
                    : known.get();
            long before = coming.getOrDefault(volume.pluginId(), 0L);
            PlacementFacts there = facts.apply(volume).with(before);
            // The claim makes such a volume be verified as soon as nothing else keeps it waiting.
            boolean begins = Verifications.mayBegin(state, known.get(), request);
            AdmissionDecision decision = Admission.decide(
                    volume, request, allocation.id(), allocation.namespace(), begins ? there.verified() : there);
            if (!decision.admitted()) {
                refusals.add(new Rejection.NotAdmitted(request.volume(), allocation.id(), decision));
            }
            if (!volume.isOn(allocation.nodeId())) {
                coming.put(volume.pluginId(), before + 1);
            }
        }
        return refusals;
    }

    /** Returns whether a claim only waits until a volume is created. */
    public static boolean isBeingMade(AdmissionDecision decision) {
        return decision instanceof AdmissionDecision.Wait wait && wait.reason() == WaitReason.VOLUME_NOT_READY;
    }

    /**
     * Returns the reason for which a claim that makes other volumes has to wait for a volume: the creation is one only if
     * there is no further one.
     *
     * @param decision the decision about the volume, for which {@link #isBeingMade} is true
     */
    public static AdmissionDecision furtherReason(
            AdmissionDecision decision,
            Volume volume,
            ClaimRequest request,
            Allocation allocation,
            PlacementFacts facts) {
        AdmissionDecision further = Admission.decide(
                volume.toBuilder().phase(VolumePhase.AVAILABLE).build(),
                request,
                allocation.id(),
                allocation.namespace(),
                facts);
        return further.admitted() ? decision : further;
    }

    private Decision decide(ClaimRequest request) {
        VolumeKey key = request.volume();
        VolumeTemplate template = request.template().orElseThrow();
        ClassUse use = new ClassUse(state, key, template);
        Optional<VolumeClass> row = use.found();
        Optional<AdmissionDecision> unknown = row.flatMap(use::unknownPlugin);
        List<Problem> problems = row.map(known -> unknown.isPresent() ? known.problems(template) : use.problems(known))
                .orElseGet(() -> List.of(use.notFound()));
        if (row.filter(known -> !known.useByTemplate()).isPresent()) {
            problems = new ArrayList<>(problems);
            problems.add(new Problem(
                    "className",
                    "is " + template.className() + ", of which claims make no volumes",
                    "create the volume before the claim, or use another class"));
        }
        if (row.isEmpty() || !problems.isEmpty()) {
            return rejected(new Rejection.InvalidRequest("volume " + key, problems));
        }
        Volume made = Volume.builder(key, use.spec(row.get()), 0, Instant.EPOCH)
                .origin(row.get().kind() == VolumeKind.INLINE ? VolumeOrigin.INLINE : VolumeOrigin.CREATED)
                .classOrigin(use.origin(row.get()))
                .owner(owner(template))
                .build();
        Optional<WorkloadOwner> ended =
                template.workload().filter(workload -> OwnerHandler.isEnded(state, key.namespace(), workload));
        if (ended.isPresent()) {
            return notAdmitted(
                    key,
                    new AdmissionDecision.Never(
                            NeverReason.OWNER_ENDED,
                            "the volume would belong to " + ended.get()
                                    + ", which has ended; claim it for the incarnation that runs now"));
        }
        PlacementFacts there = facts.apply(made);
        AdmissionDecision decision = Admission.decide(made, request, allocation.id(), allocation.namespace(), there);
        if (decision.admitted() && unknown.isPresent()) {
            return notAdmitted(key, unknown.get());
        }
        if (decision instanceof AdmissionDecision.Never || unknown.isPresent()) {
            return notAdmitted(key, decision);
        }
        TemplatePlace place =
                made.isInline() ? new TemplatePlace(null, null) : TemplatePlace.of(row.get(), template, there);
        boolean elsewhere = place.refusal() instanceof AdmissionDecision.Never;
        if (place.refusal() != null && (elsewhere || decision.admitted())) {
            return notAdmitted(key, place.refusal());
        }
        if (!decision.admitted()) {
            return notAdmitted(key, decision);
        }
        Optional<Volume> before = state.volume(key);
        boolean reused = before.filter(volume -> isSame(volume, made, request) && place.holds(volume))
                .isPresent();
        Optional<AdmissionDecision> unsettled = reused ? Optional.empty() : unsettled(key, place, before);
        return unsettled
                .map(reason -> notAdmitted(key, reason))
                .orElseGet(() -> new Decision(
                        Optional.empty(), new Candidate(request, made, place, row.get(), before.orElse(null), reused)));
    }

    private @Nullable VolumeOwner owner(VolumeTemplate template) {
        return switch (template.lifetime()) {
            case PERSISTENT -> null;
            case ALLOCATION -> new VolumeOwner.OfAllocation(allocation.id());
            case WORKLOAD -> new VolumeOwner.OfWorkload(template.workload().orElseThrow(), Optional.empty());
        };
    }

    /** Returns whether a volume that was left behind is made from the same template, and can be claimed as requested. */
    private static boolean isSame(Volume volume, Volume made, ClaimRequest request) {
        return volume.pluginId().equals(made.pluginId())
                && volume.spec().requestedCapabilities().contains(request.capability())
                && TemplateDifference.of(volume, request.template().orElseThrow())
                        .isEmpty();
    }

    private static Decision rejected(Rejection reason) {
        return new Decision(Optional.of(reason), null);
    }

    private Decision notAdmitted(VolumeKey key, AdmissionDecision decision) {
        return rejected(new Rejection.NotAdmitted(key, allocation.id(), decision));
    }

    /** Limits the attempts whose outcome is not known: one for each place, and a few for each volume. */
    private Optional<AdmissionDecision> unsettled(VolumeKey key, TemplatePlace place, Optional<Volume> before) {
        List<Volume> unsettled = Stream.concat(
                        GivenUp.of(state, key).stream(), before.filter(GivenUp::mayBeMade).stream())
                .filter(volume -> volume.externalVolumeId().isEmpty())
                .toList();
        if (unsettled.stream().anyMatch(place::holds)) {
            return Optional.of(new AdmissionDecision.Never(
                    NeverReason.CREATION_UNSETTLED,
                    "plugin " + unsettled.get(0).pluginId() + " has not answered yet whether it made " + key
                            + " near node " + allocation.nodeId()
                            + " for an earlier claim; place the allocation elsewhere, or wait until volume "
                            + unsettled.get(0).key() + " is gone"));
        }
        return unsettled.size() < GivenUp.MOST_UNSETTLED
                ? Optional.empty()
                : Optional.of(new AdmissionDecision.Never(
                        NeverReason.TOO_MANY_UNSETTLED,
                        unsettled.size() + " earlier attempts to make " + key + " are not settled: "
                                + unsettled.stream().map(Volume::key).toList()
                                + "; wait until one of them is gone, or withdraw its creation"));
    }

    /** Stores a volume; returns the reason why it cannot be stored. */
    private Optional<Rejection> write(Step step, Candidate made, List<VolumeKey> together) {
        VolumeTemplate template = made.request().template().orElseThrow();
        FirstClaim claim = new FirstClaim(allocation.id(), allocation.nodeId(), together, template.keepUnused());
        if (made.before() != null && made.reused()) {
            step.effect(
                    new Effect.VolumeStored(step.store(made.before().toBuilder().firstClaim(claim)), false));
            made.before().firstClaim().ifPresent(first -> UnreferencedRows.removeGoneNode(step, first.nodeId()));
            return Optional.empty();
        }
        if (made.before() != null) {
            GivenUp.discard(step, made.before());
        }
        Outcome outcome = new VolumeHandler(step).make(placed(made, template), claim, step.at());
        return outcome instanceof Outcome.Rejected rejected ? Optional.of(rejected.reason()) : Optional.empty();
    }

    private Volume placed(Candidate made, VolumeTemplate template) {
        return made.place()
                .requirement(state, made.row(), template)
                .map(topologies -> made.volume().toBuilder()
                        .spec(made.volume().spec().toBuilder()
                                .accessibilityRequirements(topologies)
                                .restore())
                        .build())
                .orElse(made.volume());
    }
}
