package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.command.AllocationCommand;
import java.util.List;
import java.util.Optional;

/** Applies the commands about allocations. */
final class AllocationHandler implements AllocationCommand.Cases<Outcome> {
    private final Step step;

    AllocationHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome upsertAllocation(AllocationCommand.UpsertAllocation command) {
        Optional<Allocation> known = step.reader().allocation(command.allocationId());
        Optional<Rejection> rejection = known.isPresent() ? checkChange(known.get(), command) : checkNew(command);
        if (rejection.isPresent()) {
            return Step.rejected(rejection.get());
        }
        Allocation now = new Allocation(
                command.allocationId(),
                command.namespace(),
                command.nodeId(),
                command.deployment().or(() -> known.flatMap(Allocation::deployment)),
                command.status(),
                command.account().or(() -> known.flatMap(Allocation::account)),
                known.map(Allocation::createIndex).orElse(step.index()),
                step.index());
        boolean same = known.isPresent()
                && known.get().status() == now.status()
                && known.get().deployment().equals(now.deployment())
                && known.get().account().equals(now.account());
        if (!same) {
            step.writer().putAllocation(now);
        }
        if (now.ended() && !same) {
            AllocationEndings.endAllocation(step, now.id(), now.nodeId());
        }
        return step.accepted();
    }

    private static Optional<Rejection> checkChange(Allocation known, AllocationCommand.UpsertAllocation command) {
        if (!known.nodeId().equals(command.nodeId()) || !known.namespace().equals(command.namespace())) {
            return Optional.of(new Rejection.AllocationMoved(known.id(), known.nodeId(), command.nodeId()));
        }
        if (known.ended() && command.status() != AllocationStatus.ENDED) {
            return Optional.of(new Rejection.AllocationEnded(known.id()));
        }
        return known.account().isPresent()
                        && command.account().isPresent()
                        && !known.account().equals(command.account())
                ? Optional.of(new Rejection.InvalidRequest(
                        "allocation " + known.id(),
                        List.of(new Problem(
                                "account",
                                "is " + command.account().get() + ", and the allocation runs as "
                                        + known.account().get(),
                                "report the same account, or another allocation"))))
                : Optional.empty();
    }

    /** Rejects a new allocation on a node that is fenced or removed, unless the allocation has already ended. */
    private Optional<Rejection> checkNew(AllocationCommand.UpsertAllocation command) {
        Optional<NodeStatus> status = step.reader().node(command.nodeId()).map(Node::status);
        return command.status() != AllocationStatus.ENDED
                        && status.filter(NodeStatus::lost).isPresent()
                ? Optional.of(new Rejection.NodeLost(command.nodeId(), status.get()))
                : Optional.empty();
    }

    @Override
    public Outcome removeAllocation(AllocationCommand.RemoveAllocation command) {
        Optional<Allocation> known = step.reader().allocation(command.allocationId());
        if (known.isPresent()) {
            step.writer().removeAllocation(command.allocationId());
            AllocationEndings.endAllocation(
                    step, command.allocationId(), known.get().nodeId());
        } else {
            // An allocation that the state does not have may have adopted claims.
            AllocationEndings.releaseClaims(step, command.allocationId());
        }
        return step.accepted();
    }
}
