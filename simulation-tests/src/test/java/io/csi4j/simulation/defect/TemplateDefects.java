package io.csi4j.simulation.defect;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.simulation.internal.world.SimMadeVolumes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Plants defects in what the engine does with the volumes that claims make from templates. */
final class TemplateDefects {
    private final PlantedDefect defect;
    private final ObservableState actualState;
    private final Map<String, String> firstNames = new HashMap<>();
    private final Set<String> called = new HashSet<>();

    TemplateDefects(PlantedDefect defect, ObservableState actualState) {
        this.defect = defect;
        this.actualState = actualState;
    }

    private boolean is(PlantedDefect other) {
        return defect == other;
    }

    private Optional<Volume> row(VolumeKey key) {
        return actualState.snapshot().volume(key);
    }

    /** Changes a command before it is submitted, or submits another one after it. */
    CompletableFuture<Outcome> submit(CommandLog log, Command command) {
        if (is(PlantedDefect.END_OF_WORKLOAD_IS_LOST) && command instanceof OwnerCommand.EndOwner) {
            return CompletableFuture.completedFuture(new Outcome.Accepted(true, List.of()));
        }
        if (is(PlantedDefect.INLINE_CLAIM_IS_NOT_FREED) && freesInline(command)) {
            return new CompletableFuture<>();
        }
        CompletableFuture<Outcome> answer = log.submit(alter(command));
        return is(PlantedDefect.USED_VOLUME_COUNTS_AS_UNUSED) || is(PlantedDefect.AWAITED_VOLUME_IS_GIVEN_UP)
                ? answer.whenComplete((outcome, failure) -> {
                    if (failure == null && outcome.accepted()) {
                        after(log, command);
                    }
                })
                : answer;
    }

    /** Replaces a change of the owner or the policy by one to what the volume has already. */
    private Command unchanging(Command command) {
        if (is(PlantedDefect.CHANGE_OF_OWNER_IS_LOST) && command instanceof OwnerCommand.SetOwner set) {
            return row(set.key())
                    .<Command>map(volume -> new OwnerCommand.SetOwner(
                            set.key(), set.ifCreateIndex(), SimMadeVolumes.workload(volume), set.at()))
                    .orElse(command);
        }
        if (is(PlantedDefect.CHANGE_OF_POLICY_IS_LOST) && command instanceof OwnerCommand.SetReclaim set) {
            return row(set.key())
                    .flatMap(Volume::classOrigin)
                    .<Command>map(origin ->
                            new OwnerCommand.SetReclaim(set.key(), set.ifCreateIndex(), origin.reclaim(), set.at()))
                    .orElse(command);
        }
        return command;
    }

    private boolean freesInline(Command command) {
        return command instanceof Batch batch
                ? batch.commands().stream().anyMatch(this::freesInline)
                : command instanceof ClaimCommand.FreeClaim freed
                        && row(freed.key()).filter(Volume::isInline).isPresent();
    }

    private void after(CommandLog log, Command command) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> after(log, one));
        } else if (is(PlantedDefect.USED_VOLUME_COUNTS_AS_UNUSED) && command instanceof ClaimCommand.FreeClaim freed) {
            row(freed.key())
                    .filter(volume -> volume.classOrigin().isPresent() && !volume.inUse())
                    .filter(volume -> volume.owner().isEmpty())
                    .ifPresent(volume -> {
                        var unused = log.submit(
                                new VolumeCommand.SetVolumePhase(freed.key(), VolumePhase.DELETING, freed.at()));
                    });
        } else if (is(PlantedDefect.AWAITED_VOLUME_IS_GIVEN_UP)
                && command instanceof VolumeCommand.RecordProviderFacts made) {
            row(made.key()).filter(Volume::isUnused).ifPresent(volume -> {
                var unused = log.submit(
                        new VolumeCommand.DiscardUnused(made.key(), volume.createIndex(), Optional.empty(), made.at()));
            });
        }
    }

    private Command alter(Command command) {
        return switch (defect) {
            case MADE_VOLUME_IS_REMOVED, REFUSAL_SETTLES_EARLIER_CALLS, SET_IS_NOT_GIVEN_UP -> removed(command);
            case SET_IS_MADE_ONE_BY_ONE -> command instanceof ClaimCommand.TakeClaims take ? firstOnly(take) : command;
            case QUOTA_IS_NOT_CHECKED -> command instanceof ClaimCommand.TakeClaims take ? unlimited(take) : command;
            case CHANGE_OF_OWNER_IS_LOST, CHANGE_OF_POLICY_IS_LOST -> unchanging(command);
            case RETAINED_VOLUME_IS_DELETED -> command instanceof OwnerCommand.EndOwner end ? deleting(end) : command;
            default -> command;
        };
    }

    /** Removes the row of a volume where the engine gives it up. */
    private Command removed(Command command) {
        if (command instanceof Batch batch) {
            return new Batch(batch.commands().stream().map(this::removed).toList(), batch.at());
        }
        if (is(PlantedDefect.SET_IS_NOT_GIVEN_UP)
                && command instanceof VolumeCommand.DeregisterVolume refused
                && refused.refusal().isPresent()) {
            return new VolumeCommand.DeregisterVolume(
                    refused.key(), true, refused.ifModifyIndex(), Optional.empty(), refused.at());
        }
        if (!(command instanceof VolumeCommand.DiscardUnused discard)) {
            return command;
        }
        Optional<Volume> volume = row(discard.key());
        boolean made = is(PlantedDefect.MADE_VOLUME_IS_REMOVED)
                && (discard.refusal().isEmpty()
                        || volume.filter(TemplateDefects::isOnlyCalledOnce).isPresent());
        boolean settled = is(PlantedDefect.REFUSAL_SETTLES_EARLIER_CALLS)
                && volume.filter(row -> row.externalVolumeId().isEmpty()).isPresent();
        return made || settled
                ? new VolumeCommand.DeregisterVolume(discard.key(), true, 0, discard.refusal(), discard.at())
                : command;
    }

    private static boolean isOnlyCalledOnce(Volume volume) {
        return volume.retry().attempts() == 0;
    }

    private static Command firstOnly(ClaimCommand.TakeClaims take) {
        boolean templates =
                take.requests().stream().allMatch(request -> request.template().isPresent());
        return templates && take.requests().size() > 1
                ? new ClaimCommand.TakeClaims(
                        take.allocationId(), take.requests().subList(0, 1), take.at())
                : take;
    }

    /** Takes the claims while no quota is in the state. */
    private Command unlimited(ClaimCommand.TakeClaims take) {
        List<Command> all = new ArrayList<>(List.of(take));
        boolean templates = take.requests().stream().map(ClaimRequest::template).anyMatch(Optional::isPresent);
        for (VolumeQuota quota : actualState.snapshot().quotas()) {
            all.add(0, new QuotaCommand.RemoveQuota(quota.key(), quota.createIndex(), take.at()));
            all.add(new QuotaCommand.PutQuota(
                    new VolumeQuota(quota.key(), quota.volumes(), quota.bytes()), 0, take.at()));
        }
        return templates && all.size() > 1 ? new Batch(all, take.at()) : take;
    }

    private Command deleting(OwnerCommand.EndOwner end) {
        List<Command> all = new ArrayList<>();
        StateReader state = actualState.snapshot();
        for (Volume volume : state.volumes(VolumeQuery.all()).items()) {
            boolean owned = volume.phase() != VolumePhase.DELETING
                    && volume.owner()
                            .flatMap(VolumeOwner::ofWorkload)
                            .filter(owner -> owner.workload().equals(end.workload()))
                            .isPresent();
            if (owned && volume.classOrigin().isPresent()) {
                all.add(new OwnerCommand.SetReclaim(
                        volume.key(), volume.createIndex(), ReclaimPolicy.DELETE, end.at()));
            }
        }
        all.add(end);
        return all.size() > 1 ? new Batch(all, end.at()) : end;
    }

    /** Changes a CreateVolume request before it is sent. */
    CreateVolumeRequest alter(CreateVolumeRequest request) {
        boolean again = !called.add(request.name());
        return switch (defect) {
            case NAME_IS_USED_FOR_ANOTHER_PLACE -> {
                String volume = request.name().substring(0, request.name().lastIndexOf('-'));
                yield copy(
                        request,
                        firstNames.computeIfAbsent(volume, none -> request.name()),
                        request.accessibilityRequirements(),
                        request.parameters());
            }
            case TOPOLOGIES_ARE_COMPUTED_ANEW ->
                again && request.accessibilityRequirements().isPresent() ? withOtherOrder(request) : request;
            case CLASS_IS_READ_FOR_EACH_CALL -> withClassOfNow(request);
            default -> request;
        };
    }

    private static CreateVolumeRequest withOtherOrder(CreateVolumeRequest request) {
        TopologyRequirement asked = request.accessibilityRequirements().orElseThrow();
        List<Topology> requisite = new ArrayList<>(asked.requisite());
        Collections.reverse(requisite);
        return copy(
                request,
                request.name(),
                Optional.of(new TopologyRequirement(requisite, asked.preferred())),
                request.parameters());
    }

    private static CreateVolumeRequest copy(
            CreateVolumeRequest request,
            String name,
            Optional<TopologyRequirement> topology,
            Map<String, String> parameters) {
        CreateVolumeRequest.Builder copy = CreateVolumeRequest.builder(name, request.volumeCapabilities())
                .parameters(parameters)
                .mutableParameters(request.mutableParameters())
                .secrets(request.secrets());
        request.capacityRange().ifPresent(copy::capacityRange);
        request.volumeContentSource().ifPresent(copy::volumeContentSource);
        topology.ifPresent(copy::accessibilityRequirements);
        return copy.build();
    }

    private CreateVolumeRequest withClassOfNow(CreateVolumeRequest request) {
        StateReader state = actualState.snapshot();
        return state.volumes(VolumeQuery.all()).items().stream()
                .filter(volume -> volume.name().equals(request.name()))
                .findFirst()
                .flatMap(Volume::classOrigin)
                .map(ClassOrigin::name)
                .flatMap(state::volumeClass)
                .map(row -> copy(request, request.name(), request.accessibilityRequirements(), row.parameters()))
                .orElse(request);
    }

    /** Changes the answer to CreateVolume before the engine receives it. */
    CompletableFuture<CreateVolumeResponse> alter(
            CreateVolumeRequest request, CompletableFuture<CreateVolumeResponse> answer) {
        return switch (defect) {
            case VOLUME_IN_WRONG_PLACE_IS_USED ->
                answer.thenApply(response -> request.accessibilityRequirements()
                        .filter(asked -> !asked.preferred().isEmpty())
                        .map(asked -> new CreateVolumeResponse(response.volume().toBuilder()
                                .accessibleTopology(asked.preferred())
                                .build()))
                        .orElse(response));
            case SMALL_VOLUME_IS_USED ->
                answer.thenApply(response -> new CreateVolumeResponse(response.volume().toBuilder()
                        .capacityBytes(Math.max(
                                response.volume().capacityBytes(),
                                request.capacityRange()
                                        .map(CapacityRange::requiredBytes)
                                        .orElse(0L)))
                        .build()));
            default -> answer;
        };
    }

    /** Changes a volume before the engine reads it. */
    static Volume alter(PlantedDefect defect, Volume volume) {
        return switch (defect) {
            case OWNED_VOLUME_IS_DELETED_BEFORE_ITS_CLAIM_IS_FREED -> {
                boolean ending =
                        volume.owner().flatMap(VolumeOwner::ofAllocation).isPresent()
                                && volume.phase() == VolumePhase.AVAILABLE
                                && !volume.claims().isEmpty();
                for (var claim : volume.claims()) {
                    ending &= claim.state() != ClaimState.TAKEN;
                }
                yield ending
                        ? volume.toBuilder()
                                .phase(VolumePhase.DELETING)
                                .claims(Claims.empty())
                                .attachments(Attachments.empty())
                                .build()
                        : volume;
            }
            case GIVEN_UP_VOLUME_IS_FORGOTTEN ->
                volume.formerKey().isPresent()
                        ? volume.toBuilder().phase(VolumePhase.AVAILABLE).build()
                        : volume;
            case USE_IS_UNMOUNTED_BY_ITS_NEW_NAME -> {
                Claims claims = volume.claims();
                for (Claim claim : volume.claims()) {
                    claims = claims.with(claim.toBuilder().formerVolume(null).build());
                }
                yield volume.toBuilder().claims(claims).build();
            }
            case UNUSED_VOLUME_STAYS -> {
                FirstClaim first = volume.firstClaim().orElse(null);
                yield first != null && volume.phase() == VolumePhase.AVAILABLE
                        ? volume.toBuilder()
                                .firstClaim(
                                        new FirstClaim(first.allocationId(), first.nodeId(), first.together(), true))
                                .build()
                        : volume;
            }
            default -> volume;
        };
    }
}
