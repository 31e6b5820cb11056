package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.AllocationClaims;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.state.VolumeView.ClaimView;
import io.csi4j.core.volume.ClaimState;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The claims that an operator takes from an allocation, as a preview and as a result. The host itself releases a claim when
 * it knows that the workload has ended; an operator may be wrong about it, so the word of the host on the allocation counts
 * unless the request says otherwise.
 */
final class ReleasedUses {
    /** The statement that overrules the host's word. */
    static final Parameter RUNNING = Parameter.query(
            "running",
            Parameter.Type.FLAG,
            "Also if the allocation runs by the host's word: the volume is unmounted below it, and its data may be"
                    + " lost. Without this, such a request is refused.");

    private static final String NOTHING = ": nothing was released";

    /** The statuses of a workload that may use its volumes. */
    static final Set<AllocationStatus> MAY_USE =
            EnumSet.of(AllocationStatus.PENDING, AllocationStatus.RUNNING, AllocationStatus.STOPPING);

    /** The statuses of a workload that has started. */
    static final Set<AllocationStatus> STARTED = EnumSet.of(AllocationStatus.RUNNING, AllocationStatus.STOPPING);

    /** A claim that is taken from its allocation. */
    record Use(VolumeKey volume, ClaimView claim) {
        AllocationId allocationId() {
            return claim.claim().allocationId();
        }

        Optional<AllocationStatus> status() {
            return claim.allocation().map(Allocation::status);
        }
    }

    /**
     * The answer to a release.
     *
     * @param note what was not there, for people; empty if there was something
     */
    record Answer(boolean stored, List<Use> uses, Optional<String> note) {}

    private static final Shape<Use> USE = Shape.<Use>of("ReleasedUse", "A claim that a release takes.")
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    use -> use.volume().namespace().value())
            .column()
            .text("volume", "The volume.", use -> use.volume().volumeId().value())
            .column()
            .text("allocation", "The allocation.", Use::allocationId)
            .column()
            .text("node", "The node.", use -> use.claim().claim().nodeId())
            .column()
            .choice(
                    "state",
                    "The state of the claim before the release.",
                    ClaimState.class,
                    use -> use.claim().claim().state())
            .column()
            .choice(
                    "allocationStatus",
                    "The status that the host reported last; absent if the host has removed the allocation.",
                    AllocationStatus.class,
                    Use::status)
            .optional()
            .column("ALLOCATION STATUS")
            .number(
                    "takenIndex",
                    "The index of the last command that requested the claim.",
                    use -> use.claim().claim().takenIndex())
            .build();

    static final Shape<Answer> SHAPE = Shape.<Answer>of("ReleaseAnswer", "The answer to a release.")
            .flag(
                    "stored",
                    "Whether the release is stored; false after dryRun, or if there was nothing to release.",
                    Answer::stored)
            .text(
                    "note",
                    "The names for which there was nothing to release, so that nothing was changed: perhaps it is"
                            + " released already, or a name is wrong; absent if there was something.",
                    Answer::note)
            .optional()
            .objects("claims", "The claims that it takes.", USE, Answer::uses)
            .build();

    private ReleasedUses() {}

    /** Returns the claim of an allocation on a volume; empty if there is none. */
    static CompletableFuture<List<Use>> of(Call call, VolumeKey volume, AllocationId allocation) {
        return Futures.map(
                call.operations().claims().status(volume),
                status -> status.stream()
                        .flatMap(ReleasedUses::all)
                        .filter(use -> use.allocationId().equals(allocation))
                        .toList());
    }

    private static Stream<Use> all(VolumeStatus status) {
        return status.view().claims().stream()
                .map(claim -> new Use(status.view().volume().key(), claim));
    }

    /** Returns a sentence about a claim that is not there. */
    static Optional<String> noClaim(VolumeKey volume, AllocationId allocation) {
        return Optional.of("volume " + volume + " has no such claim of allocation " + allocation + NOTHING);
    }

    /**
     * Returns a sentence about an allocation that has neither claims nor requests. A server that does not lead does not know
     * the requests, so it says nothing.
     */
    static CompletableFuture<Optional<String>> noUse(Call call, AllocationId allocation) {
        return Futures.map(
                call.operations().claims().status(allocation),
                claims ->
                        call.server().leads().getAsBoolean() && claims.waiting().isEmpty()
                                ? Optional.of("allocation " + allocation + " has neither claims nor requests" + NOTHING)
                                : Optional.empty());
    }

    /** Returns the claims of an allocation that the caller may see. */
    static CompletableFuture<List<Use>> of(Call call, AllocationId allocation) {
        return Steps.then(call.operations().claims().status(allocation), found -> {
            CompletableFuture<List<Use>> uses = CompletableFuture.completedFuture(List.of());
            for (AllocationClaims.Held held : found.held()) {
                uses = Steps.then(
                        uses,
                        before -> Futures.map(
                                of(call, held.volume(), allocation),
                                more -> Stream.concat(before.stream(), more.stream())
                                        .toList()));
            }
            return uses;
        });
    }

    /**
     * Stores a release, unless the request is a preview, or the allocation may use its volumes by the host's word.
     *
     * @param absent what is not there, if there are no uses; read before the release
     * @param refused the statuses of the allocation with which the request has to say so
     */
    static CompletableFuture<Answer> stored(
            Call call,
            List<Use> uses,
            Supplier<CompletableFuture<Optional<String>>> absent,
            Set<AllocationStatus> refused,
            Supplier<CompletableFuture<Void>> release) {
        return Steps.then(
                uses.isEmpty() ? absent.get() : CompletableFuture.completedFuture(Optional.empty()),
                note -> stored(call, uses, note, refused, release));
    }

    private static CompletableFuture<Answer> stored(
            Call call,
            List<Use> uses,
            Optional<String> note,
            Set<AllocationStatus> refused,
            Supplier<CompletableFuture<Void>> release) {
        if (call.values().flag("dryRun")) {
            return CompletableFuture.completedFuture(new Answer(false, uses, note));
        }
        if (!call.values().flag("running")) {
            uses.stream()
                    .filter(use -> use.claim().claim().state() == ClaimState.TAKEN)
                    .filter(use -> use.status().filter(refused::contains).isPresent())
                    .findFirst()
                    .ifPresent(ReleasedUses::refuse);
        }
        // Sent also if nothing is there, because this server may be behind the log.
        return Futures.map(release.get(), done -> new Answer(note.isEmpty(), uses, note));
    }

    private static void refuse(Use use) {
        throw new FailureException(Failure.of(
                "rejected",
                409,
                "allocation " + use.allocationId() + " on node "
                        + use.claim().claim().nodeId() + " is "
                        + use.status().map(Enum::name).orElse("unknown")
                        + " by the host's word: a release unmounts volume " + use.volume()
                        + " below it, and its data may be lost. End the allocation, which releases the claim; or, if it"
                        + " certainly does not use the volume, repeat the request with 'running'"));
    }
}
