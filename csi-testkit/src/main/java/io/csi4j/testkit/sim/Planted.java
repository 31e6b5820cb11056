package io.csi4j.testkit.sim;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes the engine behave as if it had a defect, by what it is shown of the state and told of calls. */
final class Planted {
    private final Mutation mutation;
    private final ObservableState truth;
    /** Who was told to wait for its node, which is well. */
    private final Set<AllocationId> putOff = new HashSet<>();
    /** What was written of node steps. */
    private final Map<SimNode.Mount, ClaimCommand.CheckpointClaim> detached = new LinkedHashMap<>();

    Planted(Mutation mutation, ObservableState truth) {
        this.mutation = mutation;
        this.truth = truth;
    }

    private boolean is(Mutation other) {
        return mutation == other;
    }

    Timer in(Timer timer) {
        return is(Mutation.RETRIES_ARE_FORGOTTEN) ? (delay, task) -> () -> {} : timer;
    }

    CommandLog in(CommandLog log) {
        if (mutation == Mutation.NONE) {
            return log;
        }
        ObservableState state = proxy(ObservableState.class, (proxy, method, arguments) -> {
            if (is(Mutation.WAKE_UP_IS_LOST)
                    && method.getName().equals("subscribe")
                    && forOne((StateScope) arguments[0])) {
                return (Subscription) () -> {};
            }
            Object answer = invoke(log.state(), method, arguments);
            return answer instanceof StateReader reader ? seen(reader) : answer;
        });
        return new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                if (is(Mutation.CANCELLED_CLAIM_STAYS) && undoes(command)) {
                    return new CompletableFuture<>();
                }
                if (command instanceof ClaimCommand.TakeClaims take) {
                    return take(log, take);
                }
                if (is(Mutation.RESULT_FOR_NEWER_CLAIM)) {
                    repeat(log, command);
                }
                return believed(log.submit(changed(command)));
            }

            @Override
            public ObservableState state() {
                return state;
            }
        };
    }

    /** What waiting claims watch, and nobody else. */
    private static boolean forOne(StateScope scope) {
        return !scope.text().isEmpty();
    }

    /** What a claim took is released as a whole. */
    private static boolean undoes(Command command) {
        return command instanceof Batch batch
                && batch.commands().stream()
                        .allMatch(one -> one instanceof ClaimCommand.CheckpointClaim checkpoint
                                && checkpoint.state() == ClaimState.UNPUBLISHING);
    }

    private CompletableFuture<Outcome> take(CommandLog log, ClaimCommand.TakeClaims take) {
        if (is(Mutation.HALF_IS_TAKEN) && take.requests().size() > 1) {
            return half(log, take);
        }
        if (is(Mutation.TURN_IS_LOST) && putOff.add(take.allocationId())) {
            var node = new AdmissionDecision.Wait(WaitReason.NODE_NOT_READY, List.of(), "planted");
            return CompletableFuture.completedFuture(new Outcome.Rejected(
                    new Rejection.NotAdmitted(take.requests().get(0).volume(), take.allocationId(), node)));
        }
        return believed(log.submit(take));
    }

    private CompletableFuture<Outcome> believed(CompletableFuture<Outcome> written) {
        return is(Mutation.WRITES_ARE_BELIEVED)
                ? written.thenApply(outcome -> outcome.accepted() ? outcome : new Outcome.Accepted(true, List.of()))
                : written;
    }

    /** First the one volume, then the others. */
    private static CompletableFuture<Outcome> half(CommandLog log, ClaimCommand.TakeClaims take) {
        return log.submit(new ClaimCommand.TakeClaims(
                        take.allocationId(), take.requests().subList(0, 1), take.at()))
                .thenCompose(
                        outcome -> outcome.accepted() ? log.submit(take) : CompletableFuture.completedFuture(outcome));
    }

    private Command changed(Command command) {
        if (is(Mutation.UNPUBLISH_WITHOUT_INTENT) && command instanceof Batch batch) {
            return withoutIntent(batch);
        }
        if (is(Mutation.RESULT_FOR_NEWER_WISH)) {
            return newer(command);
        }
        return is(Mutation.UNKNOWN_IS_NOT_DONE) && command instanceof AttachmentCommand.RecordAttachmentError error
                ? new Batch(
                        List.of(
                                new AttachmentCommand.OverrideAttachment(
                                        error.key(), error.nodeId(), "mutation", "planted", error.at()),
                                new AttachmentCommand.RemoveAttachment(error.key(), error.nodeId(), error.at())),
                        error.at())
                : command;
    }

    /** What came of a node step is written once more, for the next claim of that allocation. */
    private void repeat(CommandLog log, Command command) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> repeat(log, one));
        } else if (command instanceof ClaimCommand.CheckpointClaim one && one.state() == ClaimState.NODE_DETACHED) {
            detached.put(new SimNode.Mount(one.key(), one.allocationId()), one);
        }
        for (ClaimCommand.CheckpointClaim old : List.copyOf(detached.values())) {
            boolean newer = truth.snapshot()
                    .volume(old.key())
                    .flatMap(volume -> volume.claims().get(old.allocationId()))
                    .filter(claim ->
                            claim.createIndex() != old.ifTakenIndex() && claim.state() == ClaimState.UNPUBLISHING)
                    .isPresent();
            if (newer) {
                detached.remove(new SimNode.Mount(old.key(), old.allocationId()));
                var unused = log.submit(new ClaimCommand.CheckpointClaim(
                        old.key(), old.allocationId(), old.state(), Optional.empty(), old.at()));
            }
        }
    }

    /** What came of a call is written to the wish there is now, whatever the call was for. */
    private Command newer(Command command) {
        if (command instanceof ChangeCommand.RecordExpanded done) {
            return truth.snapshot()
                    .volume(done.key())
                    .flatMap(Volume::expansion)
                    .<Command>map(wish -> new ChangeCommand.RecordExpanded(
                            done.key(),
                            done.volumeIndex(),
                            wish.range(),
                            done.capacityBytes(),
                            done.nodesToo(),
                            done.at()))
                    .orElse(command);
        }
        if (command instanceof ChangeCommand.RecordModified done) {
            return truth.snapshot()
                    .volume(done.key())
                    .flatMap(Volume::modification)
                    .<Command>map(wish -> new ChangeCommand.RecordModified(
                            done.key(), done.volumeIndex(), wish.index(), wish.changes(), done.at()))
                    .orElse(command);
        }
        return command;
    }

    /** Whether a node unstages a volume that others use there. */
    boolean unstages() {
        return is(Mutation.UNSTAGED_UNDER_OTHERS);
    }

    /** The answer of ControllerExpandVolume as the engine gets it. */
    CompletableFuture<ControllerExpandVolumeResponse> expanding(
            CompletableFuture<ControllerExpandVolumeResponse> answer, ControllerExpandVolumeRequest request) {
        return is(Mutation.EXPANSION_UNCONFIRMED)
                ? answer.exceptionally(failure -> ControllerExpandVolumeResponse.builder()
                        .capacityBytes(request.capacityRange().requiredBytes())
                        .nodeExpansionRequired(true)
                        .build())
                : answer;
    }

    /** The intent may be written together with what it follows from. */
    private static Command withoutIntent(Batch batch) {
        List<Command> left = batch.commands().stream()
                .filter(command -> !(command instanceof AttachmentCommand.RecordUnpublishing))
                .toList();
        return left.isEmpty() ? batch : new Batch(left, batch.at());
    }

    /** Whether the engine goes on without the node's part of a release. */
    boolean skipsNodeStep() {
        return is(Mutation.DETACH_BEFORE_NODE_STEP);
    }

    /** The answer of a call as the engine gets it. */
    <R> CompletableFuture<R> forgiving(boolean nodeStep, CompletableFuture<R> answer, @Nullable R done) {
        if (!is(nodeStep ? Mutation.NODE_STEP_UNCONFIRMED : Mutation.NOT_FOUND_IS_DONE)) {
            return answer;
        }
        return answer.exceptionallyCompose(
                failure -> nodeStep || (failure instanceof CsiCallException call && call.code() == StatusCode.NOT_FOUND)
                        ? CompletableFuture.completedFuture(done)
                        : CompletableFuture.failedFuture(failure));
    }

    @SuppressWarnings("unchecked")
    private StateReader seen(StateReader state) {
        return proxy(StateReader.class, (proxy, method, arguments) -> {
            Object answer = invoke(state, method, arguments);
            if (is(Mutation.NOTHING_IS_FOUND_AT_START)) {
                return switch (method.getName()) {
                    case "unsettledVolumes", "volumesOf" -> List.of();
                    case "volumes" -> new VolumePage(List.of(), Optional.empty());
                    default -> answer;
                };
            }
            return switch (method.getName()) {
                case "volume" -> ((Optional<Volume>) answer).map(this::seen);
                case "node" -> ((Optional<Node>) answer).map(this::seen);
                default -> answer;
            };
        });
    }

    private Node seen(Node node) {
        return is(Mutation.DOWN_IS_LOST) && node.status() == NodeStatus.DOWN
                ? new Node(node.id(), NodeStatus.FENCED, node.since(), node.reason(), node.modifyIndex())
                : node;
    }

    private Volume seen(Volume volume) {
        Attachments attachments = volume.attachments();
        Claims claims = seen(volume.claims());
        for (Attachment attachment : volume.attachments()) {
            boolean published = attachment.state() == AttachmentState.PUBLISHED;
            boolean idle = claims.on(attachment.nodeId()).notNodeDetached() == 0;
            boolean left = is(Mutation.CLAIMS_COUNT_AND_NOT_NODES) && !claims.equals(volume.claims());
            if ((is(Mutation.UNPUBLISH_WITHOUT_INTENT) || left) && published && idle) {
                attachments = attachments.with(attachment.toBuilder()
                        .state(AttachmentState.UNPUBLISHING)
                        .build());
            }
            if (is(Mutation.GRANTED_BEFORE_PUBLISHED) && attachment.state() == AttachmentState.PUBLISHING) {
                attachments = attachments.with(
                        attachment.toBuilder().state(AttachmentState.PUBLISHED).build());
            }
        }
        return volume.toBuilder().claims(claims).attachments(attachments).build();
    }

    private Claims seen(Claims claims) {
        Claims seen = claims;
        for (Claim claim : claims) {
            Claims here = claims.on(claim.nodeId());
            if (is(Mutation.CLAIMS_COUNT_AND_NOT_NODES)
                    && !claim.nodeDetached()
                    && here.notNodeDetached() < here.size()) {
                seen = seen.without(claim.allocationId());
            }
            if (is(Mutation.OVERRIDE_COUNTS_FOR_ALL) && claim.operatorOverride().isEmpty()) {
                for (Claim other : here) {
                    if (other.operatorOverride().isPresent()) {
                        seen = seen.with(claim.toBuilder()
                                .operatorOverride(other.operatorOverride().get())
                                .build());
                    }
                }
            }
        }
        return seen;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
