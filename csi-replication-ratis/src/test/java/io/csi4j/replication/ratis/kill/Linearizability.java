package io.csi4j.replication.ratis.kill;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Searches an order of all operations on one volume that explains every result: each operation happens at one moment between its beginning and its
 * end. An operation without a result may happen at any later moment, or never.
 */
public final class Linearizability {
    private final List<Operation> operations;
    private final Set<State> visited = new HashSet<>();
    private int longest;

    private record State(BitSet done, String holder) {}

    private Linearizability(List<Operation> operations) {
        this.operations = operations;
    }

    /** Returns why no order explains the results; empty if one does. */
    public static Optional<String> problem(List<Operation> operations) {
        Linearizability search = new Linearizability(operations);
        return search.explains(new BitSet(), Operation.FREE)
                ? Optional.empty()
                : Optional.of("no order explains more than " + search.longest + " of these results: " + operations);
    }

    private boolean explains(BitSet done, String holder) {
        if (!visited.add(new State((BitSet) done.clone(), holder))) {
            return false;
        }
        longest = Math.max(longest, done.cardinality());
        long firstEnd = Long.MAX_VALUE;
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            firstEnd = Math.min(firstEnd, operations.get(i).ended());
        }
        if (firstEnd == Long.MAX_VALUE) {
            // Only operations without a result are left, which need not have happened.
            return true;
        }
        for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
            Operation next = operations.get(i);
            if (next.begun() <= firstEnd
                    && next.result().map(next.resultFor(holder)::equals).orElse(true)) {
                done.set(i);
                if (explains(done, next.holderAfter(holder))) {
                    return true;
                }
                done.clear(i);
            }
        }
        return false;
    }
}
